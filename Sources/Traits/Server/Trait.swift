#if !Server
    #error("StorekeeperCompanion needs the trait Server of the package storekeeper; name it in Package.swift")
#endif
