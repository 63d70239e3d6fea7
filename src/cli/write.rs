//! Files that are there as a whole or not at all.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::outcome::Failure;

/// Replaces a file, or makes it. Writes beside it first, so that a full disk does not cost the user what was there.
pub fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let io = |e: std::io::Error| Failure::Io { path: path.display().to_string(), reason: e.to_string() };
    let target = if path.exists() { fs::canonicalize(path).map_err(io)? } else { path.to_owned() };
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = target.parent().unwrap_or(Path::new(".")).join(name);
    let written = fs::write(&partial, text)
        .and_then(|()| match fs::metadata(&target) {
            Ok(old) => fs::set_permissions(&partial, old.permissions()),
            Err(_) => Ok(()),
        })
        .and_then(|()| fs::rename(&partial, &target));
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written.map_err(io)
}

/// Makes a file unless there is one; whether it did.
pub fn create(path: &Path, text: &str) -> Result<bool, Failure> {
    let io = |e: std::io::Error| Failure::Io { path: path.display().to_string(), reason: e.to_string() };
    match fs::OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(io(error)),
        Ok(mut file) => match file.write_all(text.as_bytes()) {
            Ok(()) => Ok(true),
            Err(error) => {
                let _ = fs::remove_file(path);
                Err(io(error))
            }
        },
    }
}

/// Writes files into a directory, then the manifest that lists them: a manifest never names a file that is not there.
pub fn write_all(directory: &Path, files: Vec<(String, String)>, manifest: &str) -> Result<(), Failure> {
    let io = |e: std::io::Error| Failure::Io { path: directory.display().to_string(), reason: e.to_string() };
    fs::create_dir_all(directory).map_err(io)?;
    for (name, text) in files {
        replace(&directory.join(name), &text)?;
    }
    replace(&directory.join("manifest.json"), manifest)
}

/// Writes new files into a directory: all of them, or none. What is there already is not touched.
pub fn add_all(directory: &Path, files: &[(String, String)]) -> Result<(), Failure> {
    let io = |path: &Path, e: std::io::Error| Failure::Io { path: path.display().to_string(), reason: e.to_string() };
    let is_new = !directory.exists();
    fs::create_dir_all(directory).map_err(|e| io(directory, e))?;
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
            return Err(io(&path, error));
        }
    }
    Ok(())
}
