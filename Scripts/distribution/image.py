#!/usr/bin/env python3
"""Makes an OCI image as a file, without a daemon and without running anything of the image.

usage: image.py PROGRAM VERSION COMMIT IMAGE PACKAGE-LIST

The first layer contains Debian packages from the mirrors of this machine, which must be the Debian of the image; the
second the program. IMAGE is an archive in the OCI image layout, for `podman load` and `docker load` (25 and newer). It
contains Docker's own manifest, too, which Docker reads unless it stores images in containerd. The names and versions of
the Debian packages are written to PACKAGE-LIST.
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

# libpq is loaded if the vault is in PostgreSQL; certificates are needed to ask the App Store.
WANTED = ("base-files", "ca-certificates", "libc6", "libgcc-s1", "libpq5", "netbase")
# Needed only to install or configure packages, which never happens in the image.
OMITTED = {"debconf", "debconf-2.0", "openssl", "perl-base", "dpkg", "awk", "mawk", "libsasl2-modules-db", "libdb5.3"}
USER = 65532
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin", "STOREKEEPER_SERVE_HOST": "0.0.0.0",
    "STOREKEEPER_SERVE_ALLOW_REMOTE": "true", "STOREKEEPER_SERVE_LOG_FORMAT": "json",
    "STOREKEEPER_SERVE_LOG_TO": "output",
}
HOME = "/var/lib/storekeeper"


def run(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout


def closure():
    """The wanted packages and those that they depend on, with their versions."""
    found, waiting = {}, list(WANTED)
    while waiting:
        name = waiting.pop()
        if name in found or name in OMITTED:
            continue
        try:
            described = run("apt-cache", "show", "--no-all-versions", name)
        except subprocess.CalledProcessError:
            sys.exit(f"image: apt knows no package {name}; run 'apt-get update'")
        fields = dict(re.findall(r"^(\S+): (.*)$", described, re.M))
        found[name] = (fields["Version"], fields["Architecture"])
        for field in ("Pre-Depends", "Depends"):
            for choice in filter(None, fields.get(field, "").split(",")):
                first = choice.split("|")[0].split("(")[0].strip().split(":")[0]
                waiting.append(first)
    return found


def prepare(root, packages):
    """Unpacks the packages, and writes the files that their scripts would."""
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / "usr" / name).mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(f"usr/{name}")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        run("apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root",
            *(f"{name}={version}" for name, (version, _) in packages.items()), cwd=folder)
        for path in pathlib.Path(folder).glob("*.deb"):
            with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE) as files:
                subprocess.run(["tar", "-x", "--keep-directory-symlink", "--no-same-owner", "--same-permissions",
                                "-C", root], stdin=files.stdout, check=True)
            # Scanners read which packages an image without dpkg contains here.
            status = root / "var/lib/dpkg/status.d" / path.name.split("_")[0]
            status.parent.mkdir(parents=True, exist_ok=True)
            status.write_text(run("dpkg-deb", "--field", path))
    bundle = b"".join(
        path.read_bytes() for path in sorted((root / "usr/share/ca-certificates/mozilla").glob("*.crt")))
    (root / "etc/ssl/certs").mkdir(parents=True, exist_ok=True)
    (root / "etc/ssl/certs/ca-certificates.crt").write_bytes(bundle)
    (root / "etc/passwd").write_text(
        f"root:x:0:0:root:/root:/usr/sbin/nologin\nstorekeeper:x:{USER}:{USER}::{HOME}:/usr/sbin/nologin\n")
    (root / "etc/group").write_text(f"root:x:0:\nstorekeeper:x:{USER}:\n")
    (root / "etc/nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files dns\n")
    run("/sbin/ldconfig", "-r", str(root))


def layer(root, names):
    """An archive of files below a folder; as everywhere, root owns them, except the service's own folder."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted(names):
            entry = archive.gettarinfo(root / path, arcname=path)
            entry.uname = entry.gname = ""
            entry.uid = entry.gid = USER if f"/{path}".startswith(HOME) else 0
            if entry.isreg():
                with open(root / path, "rb") as file:
                    archive.addfile(entry, file)
            else:
                archive.addfile(entry)
    return data.getvalue()


def below(root):
    return {path.relative_to(root).as_posix() for path in root.rglob("*")}


def blob(descriptor):
    """The path of a blob in the layout."""
    return "blobs/" + descriptor["digest"].replace(":", "/")


class Layout:
    """The content of an image layout: blobs by digest."""

    def __init__(self):
        self.files = {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}'}

    def add(self, data, kind, **more):
        digest = hashlib.sha256(data).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = data
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(data), **more}

    def write(self, path):
        with tarfile.open(path, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for name, data in self.files.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))


def main(program, version, commit, image, package_list):
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    packages = closure()
    pathlib.Path(package_list).write_text(
        "".join(f"{name} {number} {kind}\n" for name, (number, kind) in sorted(packages.items())))
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        os.umask(0o022)
        prepare(root, packages)
        first = below(root)
        (root / HOME[1:]).mkdir(parents=True, mode=0o700)
        (root / "usr/local/bin").mkdir(parents=True, exist_ok=True)
        shutil.copy(program, root / "usr/local/bin/storekeeper")
        os.chmod(root / "usr/local/bin/storekeeper", 0o755)
        layers = [layer(root, first), layer(root, below(root) - first)]

    layout = Layout()
    kind = "application/vnd.oci.image."
    config = {
        "architecture": run("dpkg", "--print-architecture").strip(), "os": "linux", "created": created,
        "config": {
            "User": f"{USER}:{USER}", "WorkingDir": HOME, "Volumes": {HOME: {}}, "ExposedPorts": {"8080/tcp": {}},
            "Env": [f"{name}={value}" for name, value in ENVIRONMENT.items()],
            "Entrypoint": ["/usr/local/bin/storekeeper"], "Cmd": ["serve"], "StopSignal": "SIGTERM",
            # Not a part of OCI's specification, but Docker and Podman read it.
            "Healthcheck": {"Test": ["CMD", "/usr/local/bin/storekeeper", "serve", "--is-ready"],
                            "Interval": 10 * 10**9, "Timeout": 5 * 10**9, "StartPeriod": 10 * 10**9},
            "Labels": {"org.opencontainers.image.title": "storekeeper",
                       "org.opencontainers.image.version": version, "org.opencontainers.image.revision": commit},
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(data).hexdigest()}" for data in layers]},
        "history": [{"created": created, "created_by": "Debian packages"},
                    {"created": created, "created_by": "storekeeper"}],
    }
    configuration = layout.add(json.dumps(config).encode(), kind + "config.v1+json")
    packed = [layout.add(gzip.compress(data), kind + "layer.v1.tar+gzip") for data in layers]
    manifest = layout.add(json.dumps({
        "schemaVersion": 2, "mediaType": kind + "manifest.v1+json", "config": configuration, "layers": packed,
    }).encode(), kind + "manifest.v1+json", annotations={
        "org.opencontainers.image.ref.name": version, "io.containerd.image.name": f"storekeeper:{version}"})
    layout.files["index.json"] = json.dumps(
        {"schemaVersion": 2, "mediaType": kind + "index.v1+json", "manifests": [manifest]}).encode()
    layout.files["manifest.json"] = json.dumps([{
        "Config": blob(configuration), "Layers": [blob(entry) for entry in packed],
        "RepoTags": [f"storekeeper:{version}"]}]).encode()
    layout.write(image)
    size = sum(map(len, layers))
    print(f"{image}: {os.path.getsize(image) / 1e6:.0f} MB, {size / 1e6:.0f} MB unpacked, {len(packages)} packages")


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
