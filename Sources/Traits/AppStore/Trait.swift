#if !AppStore
    #error("StorekeeperAppStore needs the trait AppStore of the package storekeeper; name it in Package.swift")
#endif
