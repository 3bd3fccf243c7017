import Storekeeper

// block 1
