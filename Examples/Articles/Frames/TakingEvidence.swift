import Storekeeper

// block 1

// block 2
