#if !JWS
    #error("StorekeeperJWS needs the trait JWS of the package storekeeper; name it in Package.swift")
#endif
