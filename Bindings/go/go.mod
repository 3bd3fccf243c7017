module github.com/example/storekeeper/Bindings/go

go 1.19
