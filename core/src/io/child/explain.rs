//! Why a server process could not be started. The system says "no such file" of five different things; here it is looked which (C06).

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{ChildSpec, environment};
use crate::error::{Error, ErrorKind};

/// Bytes that the `#!` line of a script may have.
const FIRST_LINE: u64 = 256;

/// The error for a start that failed.
pub(super) fn failure(spec: &ChildSpec, program: &str, error: io::Error) -> Error {
    let name = shown(program);
    let why = directory(spec).unwrap_or_else(|| reason(spec, program, &error));
    let is_short = is_short(&error);
    let failure = Error::new(ErrorKind::Io, format!("the server `{name}` cannot be started: {why}"));
    let failure = failure.with("command", name).caused_by(error);
    if is_short { failure.retryable() } else { failure }
}

/// Whether the system had too little of something, which may be there later.
#[cfg(unix)]
fn is_short(error: &io::Error) -> bool {
    // The last one: somebody has the file open for writing, as an installer does that puts a new version in place.
    const SHORT: [i32; 5] = [libc::EAGAIN, libc::ENOMEM, libc::EMFILE, libc::ENFILE, libc::ETXTBSY];
    error.raw_os_error().is_some_and(|code| SHORT.contains(&code))
}

#[cfg(not(unix))]
fn is_short(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory
}

/// The program as errors and logs may say it. Who wrote a whole command line into its place may have written a secret (Y28).
pub(super) fn shown(program: &str) -> Cow<'_, str> {
    match program.split_once(char::is_whitespace) {
        Some((first, _)) if !Path::new(program).exists() => Cow::Owned(format!("{first} …")),
        _ => Cow::Borrowed(program),
    }
}

/// What is wrong with the working directory.
fn directory(spec: &ChildSpec) -> Option<String> {
    let cwd = spec.cwd.as_deref()?;
    let place = cwd.display();
    match std::fs::metadata(cwd) {
        Ok(found) if found.is_dir() => None,
        Ok(_) => Some(format!("its working directory `{place}` is not a directory")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Some(format!("its working directory `{place}` does not exist"))
        }
        Err(error) => Some(format!("its working directory `{place}` cannot be used: {error}")),
    }
}

fn reason(spec: &ChildSpec, program: &str, error: &io::Error) -> String {
    let found = file(spec, program);
    match (error.kind(), found) {
        (io::ErrorKind::NotFound, None) if program.contains(char::is_whitespace) => {
            "there is no such program; arguments are given apart from it, as a list".into()
        }
        (io::ErrorKind::NotFound, None) if is_path(program) => "there is no such file".into(),
        (io::ErrorKind::NotFound, None) => "there is no such program in any directory of its PATH".into(),
        (io::ErrorKind::NotFound, Some(file)) => match interpreter(&file) {
            Some(name) if name.ends_with('\r') => {
                let name = name.trim_end();
                format!("the first line of the script names `{name}` with a Windows line end, which is no program")
            }
            Some(name) => format!("the first line of the script names the program `{name}`, which does not exist"),
            None => "the file is there, but a program that it needs to start is not".into(),
        },
        (io::ErrorKind::PermissionDenied, Some(file)) if file.is_dir() => "it is a directory".into(),
        (io::ErrorKind::PermissionDenied, Some(_)) => format!("the file is not executable: {error}"),
        (io::ErrorKind::InvalidInput, _) => "an argument or a variable has a NUL byte".into(),
        #[cfg(unix)]
        _ if error.raw_os_error() == Some(libc::ENOEXEC) => {
            "the file is neither a program for this machine nor a script with a `#!` line".into()
        }
        _ => error.to_string(),
    }
}

fn is_path(program: &str) -> bool {
    Path::new(program).components().count() > 1
}

/// The file that the name of a program stands for.
fn file(spec: &ChildSpec, program: &str) -> Option<PathBuf> {
    if is_path(program) {
        let base = spec.cwd.as_deref().unwrap_or(Path::new(""));
        return Some(base.join(program)).filter(|file| file.exists());
    }
    let given = spec.env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| OsString::from(value));
    let inherited = || environment::inherited().find(|(name, _)| *name == "PATH").map(|(_, value)| value);
    let path = given.or_else(inherited)?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.exists())
}

/// The program that the `#!` line of a script names.
fn interpreter(file: &Path) -> Option<String> {
    let mut start = Vec::new();
    std::fs::File::open(file).ok()?.take(FIRST_LINE).read_to_end(&mut start).ok()?;
    let line = start.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line.strip_prefix(b"#!")?).into_owned();
    // A CR at the end of the line is a part of the name for the system.
    let name = line.trim_start().split([' ', '\t']).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}
