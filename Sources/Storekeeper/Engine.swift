// All of the engine is part of what this module offers: who imports the store needs to import nothing else.
@_exported public import StorekeeperEngine
