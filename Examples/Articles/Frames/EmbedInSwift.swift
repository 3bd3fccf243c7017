// block 1 is a manifest, and the next a whole program: Scripts/embed.sh builds and runs them
// block 2 is that program

// block 3

// block 4 is a part of a manifest
