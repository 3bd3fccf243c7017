// The whole engine is part of this module's interface, so that code that imports `Storekeeper` needs no other import.
@_exported public import StorekeeperEngine
