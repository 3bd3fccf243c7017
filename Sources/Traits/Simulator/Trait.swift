#if !Simulator
    #error("StorekeeperSimulator needs the trait Simulator of the package storekeeper; name it in Package.swift")
#endif
