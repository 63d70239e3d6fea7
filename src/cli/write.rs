//! Files that are there as a whole or not at all.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::outcome::Failure;

/// A file that is to be written.
pub struct NewFile {
    /// Where it belongs.
    pub path: PathBuf,
    /// What it holds.
    pub text: String,
    /// Whether one that is there is left as it is.
    pub is_kept: bool,
}

/// Replaces a file, or makes it.
pub fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    write_all(&[NewFile { path: path.to_owned(), text: text.to_owned(), is_kept: false }]).map(|_| ())
}

/// Writes files, with the folders they need, and says which were left as they are. All are written beside their places first, so that what
/// is not to be had, room or permission, is known before the first one is put there.
pub fn write_all(files: &[NewFile]) -> Result<Vec<PathBuf>, Failure> {
    let (kept, files): (Vec<&NewFile>, Vec<&NewFile>) =
        files.iter().partition(|file| file.is_kept && file.path.is_file());
    let mut staged = Staged::default();
    let result = files.iter().try_for_each(|file| staged.add(file).map_err(|error| io(&file.path, &error)));
    match result.and_then(|()| staged.put()) {
        Ok(()) => Ok(kept.into_iter().map(|file| file.path.clone()).collect()),
        Err(failure) => {
            staged.undo();
            Err(failure)
        }
    }
}

/// Files that are written beside their places, and folders that were made for them.
#[derive(Default)]
struct Staged {
    /// The file beside, and its place.
    files: Vec<(PathBuf, PathBuf)>,
    folders: Vec<PathBuf>,
}

impl Staged {
    fn add(&mut self, file: &NewFile) -> std::io::Result<()> {
        if is_special(&file.path) {
            return fs::write(&file.path, &file.text);
        }
        if let Some(folder) = file.path.parent() {
            let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
            let missing: Vec<PathBuf> = folder.ancestors().take_while(is_missing).map(Path::to_owned).collect();
            fs::create_dir_all(folder)?;
            self.folders.extend(missing.into_iter().rev());
        }
        let (partial, target) = places(&file.path)?;
        if target.is_dir() {
            return Err(std::io::ErrorKind::IsADirectory.into());
        }
        if self.files.iter().any(|(_, other)| *other == target) {
            return Err(std::io::Error::other("two files would be written there"));
        }
        self.files.push((partial.clone(), target.clone()));
        write_partial(&partial, &target, &file.text)
    }

    fn put(&self) -> Result<(), Failure> {
        let put =
            |(partial, target): &(PathBuf, PathBuf)| fs::rename(partial, target).map_err(|error| io(target, &error));
        self.files.iter().try_for_each(put)
    }

    fn undo(&self) {
        self.files.iter().for_each(|(partial, _)| drop(fs::remove_file(partial)));
        self.folders.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

fn io(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Io { path: path.display().to_string(), reason: error.to_string() }
}

/// Whether something is there that is neither a file nor a folder: a device or a pipe is written to, not replaced.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Where a file is written first, and where it belongs. A link stays a link.
fn places(path: &Path) -> std::io::Result<(PathBuf, PathBuf)> {
    let target = match (path.exists(), path.parent(), path.file_name()) {
        (true, ..) => fs::canonicalize(path)?,
        (false, Some(folder), Some(name)) if folder.exists() => fs::canonicalize(folder)?.join(name),
        (false, ..) => path.to_owned(),
    };
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
    if is_special(path) {
        return Ok(());
    }
    let (partial, target) = places(path).map_err(|error| io(path, &error))?;
    if target.is_dir() || target.file_name().is_none() {
        return Err(io(path, &std::io::ErrorKind::IsADirectory.into()));
    }
    fs::write(&partial, "").and_then(|()| fs::remove_file(&partial)).map_err(|error| io(path, &error))
}

/// Whether files could be put into a folder, which may not be there yet. Leaves everything as it is.
pub fn can_fill(directory: &Path) -> Result<(), Failure> {
    let there = directory.ancestors().map(|one| if one.as_os_str().is_empty() { Path::new(".") } else { one });
    match there.into_iter().find(|one| one.exists()) {
        Some(there) if !there.is_dir() => Err(io(directory, &std::io::ErrorKind::NotADirectory.into())),
        Some(there) => can_replace(&there.join("manifest.json")).map_err(|failure| match failure {
            Failure::Io { reason, .. } => Failure::Io { path: directory.display().to_string(), reason },
            other => other,
        }),
        None => Ok(()),
    }
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
