//! Why a command was not started. A command never runs with less than its policy demands.

use std::fmt::Display;

/// The part of the sandbox that could not do its work, as people and `--check` name it.
#[derive(Clone, Copy)]
pub enum Part {
    Arguments,
    Policy,
    Namespaces,
    Files,
    Network,
    Landlock,
    Seccomp,
    Privileges,
}

impl Part {
    pub fn name(self) -> &'static str {
        match self {
            Part::Arguments => "arguments",
            Part::Policy => "policy",
            Part::Namespaces => "namespaces",
            Part::Files => "files",
            Part::Network => "network",
            Part::Landlock => "landlock",
            Part::Seccomp => "seccomp",
            Part::Privileges => "privileges",
        }
    }
}

pub struct Failure {
    pub part: Part,
    pub reason: String,
}

pub type Result<T> = std::result::Result<T, Failure>;

pub fn fail<T>(part: Part, reason: impl Into<String>) -> Result<T> {
    Err(Failure { part, reason: reason.into() })
}

/// Adds the part and what was being done to an error of the system.
pub trait Because<T> {
    fn because(self, part: Part, doing: impl Display) -> Result<T>;
}

impl<T, E: Display> Because<T> for std::result::Result<T, E> {
    fn because(self, part: Part, doing: impl Display) -> Result<T> {
        self.map_err(|error| Failure { part, reason: format!("{doing}: {error}") })
    }
}
