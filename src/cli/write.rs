//! Files that are there as a whole or not at all.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::outcome::Failure;

/// Replaces a file, or makes it.
pub fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    replace_all(&[(path.to_owned(), text)])
}

/// Makes a file unless there is one; whether it did.
pub fn create(path: &Path, text: &str) -> Result<bool, Failure> {
    match fs::OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(io(path, &error)),
        Ok(mut file) => match file.write_all(text.as_bytes()) {
            Ok(()) => Ok(true),
            Err(error) => {
                let _ = fs::remove_file(path);
                Err(io(path, &error))
            }
        },
    }
}

/// Replaces files, or makes them. Writes all of them beside their places first, so that a full disk costs the user nothing of
/// what was there.
pub fn replace_all(files: &[(PathBuf, &str)]) -> Result<(), Failure> {
    let mut written: Vec<(PathBuf, PathBuf)> = vec![];
    let result = files.iter().try_for_each(|(path, text)| {
        let (partial, target) = places(path).map_err(|error| io(path, &error))?;
        written.push((partial.clone(), target.clone()));
        write_partial(&partial, &target, text).map_err(|error| io(path, &error))
    });
    let result = result.and_then(|()| {
        written.iter().try_for_each(|(partial, target)| fs::rename(partial, target).map_err(|error| io(target, &error)))
    });
    if result.is_err() {
        written.iter().for_each(|(partial, _)| drop(fs::remove_file(partial)));
    }
    result
}

fn io(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Io { path: path.display().to_string(), reason: error.to_string() }
}

/// Where a file is written first, and where it belongs. A link stays a link.
fn places(path: &Path) -> std::io::Result<(PathBuf, PathBuf)> {
    let target = if path.exists() { fs::canonicalize(path)? } else { path.to_owned() };
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    Ok((target.parent().unwrap_or(Path::new(".")).join(name), target))
}

fn write_partial(partial: &Path, target: &Path, text: &str) -> std::io::Result<()> {
    fs::write(partial, text)?;
    match fs::metadata(target) {
        Ok(old) => fs::set_permissions(partial, old.permissions()),
        Err(_) => Ok(()),
    }
}

/// Whether a file could be replaced or made. Leaves everything as it is.
pub fn can_replace(path: &Path) -> Result<(), Failure> {
    let (partial, target) = places(path).map_err(|error| io(path, &error))?;
    if target.is_dir() || target.file_name().is_none() {
        return Err(io(path, &std::io::ErrorKind::IsADirectory.into()));
    }
    fs::write(&partial, "").and_then(|()| fs::remove_file(&partial)).map_err(|error| io(path, &error))
}

/// Writes files into a directory, and last the manifest that lists them. All are written beside their places first, so that what is
/// not to be had, room or permission, is known before the first one is put there.
pub fn write_all(directory: &Path, files: Vec<(String, String)>, manifest: &str) -> Result<(), Failure> {
    let is_new = !directory.exists();
    fs::create_dir_all(directory).map_err(|error| io(directory, &error))?;
    let mut all: Vec<(PathBuf, &str)> =
        files.iter().map(|(name, text)| (directory.join(name), text.as_str())).collect();
    all.push((directory.join("manifest.json"), manifest));
    let result = replace_all(&all);
    if result.is_err() && is_new {
        let _ = fs::remove_dir(directory);
    }
    result
}

/// Writes new files into a directory: all of them, or none. What is there already is not touched.
pub fn add_all(directory: &Path, files: &[(String, String)]) -> Result<(), Failure> {
    let is_new = !directory.exists();
    fs::create_dir_all(directory).map_err(|error| io(directory, &error))?;
    let mut written = vec![];
    for (name, text) in files {
        let path = directory.join(name);
        let created = fs::OpenOptions::new().write(true).create_new(true).open(&path);
        let result = created.and_then(|mut file| {
            written.push(path.clone());
            file.write_all(text.as_bytes())
        });
        if let Err(error) = result {
            written.iter().for_each(|path| drop(fs::remove_file(path)));
            if is_new {
                let _ = fs::remove_dir(directory);
            }
            return Err(io(&path, &error));
        }
    }
    Ok(())
}
