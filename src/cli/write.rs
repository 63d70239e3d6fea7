//! Files that are there as a whole or not at all.

use std::fs;
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
