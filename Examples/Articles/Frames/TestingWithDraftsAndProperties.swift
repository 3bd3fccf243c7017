import StorekeeperEngine
import StorekeeperTesting
import Testing

@Test private func drafts() throws {
    // block 1

    // block 2
}

@Test private func properties() {
    // block 3
}
