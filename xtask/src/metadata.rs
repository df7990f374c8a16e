//! [`Metadata`]: what cargo knows of the workspace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::cargo::cargo;
use crate::error::Error;
use crate::process;

/// The part of `cargo metadata` that the chores read.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
    target_directory: PathBuf,
}

/// A package of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    manifest_path: PathBuf,
    features: BTreeMap<String, Vec<String>>,
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

impl Metadata {
    /// Asks cargo.
    pub(crate) fn read() -> Result<Self, Error> {
        let mut command = cargo(["metadata", "--no-deps", "--format-version", "1"]);
        let json = process::output(&mut command)?;
        serde_json::from_slice(&json).map_err(|source| Error::Output { command: process::shown(&command), source })
    }

    /// Where cargo puts what it builds.
    pub(crate) fn target_directory(&self) -> &Path {
        &self.target_directory
    }

    /// The package at the root of the workspace.
    pub(crate) fn facade(&self) -> Result<&Package, Error> {
        let manifest = self.workspace_root.join("Cargo.toml");
        let mut packages = self.packages.iter();
        packages.find(|package| package.manifest_path == manifest).ok_or(Error::NoFacade)
    }
}

impl Package {
    /// Its features but `default`.
    pub(crate) fn features(&self) -> impl Iterator<Item = &str> {
        let names = self.features.keys().map(String::as_str);
        names.filter(|name| *name != "default")
    }

    /// The names of its examples.
    pub(crate) fn examples(&self) -> impl Iterator<Item = &str> {
        let is_example = |target: &&Target| target.kind.iter().any(|kind| kind == "example");
        self.targets.iter().filter(is_example).map(|target| target.name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = r#"{
        "packages": [
            {
                "name": "inner", "manifest_path": "/w/crates/inner/Cargo.toml", "version": "0.1.0",
                "features": {"nats": []}, "targets": []
            },
            {
                "name": "facade", "manifest_path": "/w/Cargo.toml", "version": "0.1.0",
                "features": {"default": ["redis"], "redis": ["dep:inner"], "durable": []},
                "targets": [
                    {"name": "facade", "kind": ["lib"]},
                    {"name": "first_steps", "kind": ["example"]}
                ]
            }
        ],
        "workspace_root": "/w",
        "target_directory": "/w/target"
    }"#;

    #[test]
    fn the_facade_is_the_package_at_the_root() {
        let metadata: Metadata = serde_json::from_str(SAMPLE).unwrap();
        let facade = metadata.facade().unwrap();
        assert_eq!(facade.name, "facade");
        assert_eq!(facade.features().collect::<Vec<_>>(), ["durable", "redis"]);
        assert_eq!(metadata.target_directory(), Path::new("/w/target"));
        assert_eq!(facade.examples().collect::<Vec<_>>(), ["first_steps"]);
    }
}
