// block 1 is a part of a manifest

// block 2
