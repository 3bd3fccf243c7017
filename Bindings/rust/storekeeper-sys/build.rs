// The library is searched in STOREKEEPER_LIB_DIR, or where pkg-config finds it, or where the linker looks.
use std::{env, process::Command};

fn main() {
    println!("cargo:rerun-if-env-changed=STOREKEEPER_LIB_DIR");
    let folder = env::var("STOREKEEPER_LIB_DIR").ok().or_else(|| {
        let found = Command::new("pkg-config").args(["--variable=prefix", "storekeeper"]).output().ok()?;
        let prefix = String::from_utf8(found.stdout).ok().filter(|_| found.status.success())?;
        Some(format!("{}/lib", prefix.trim()))
    });
    if let Some(folder) = folder {
        println!("cargo:rustc-link-search=native={folder}");
    }
    println!("cargo:rustc-link-lib=dylib=storekeeper");
}
