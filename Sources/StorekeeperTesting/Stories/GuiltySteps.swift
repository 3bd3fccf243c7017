package import Storekeeper

extension TransactionalVault {
    /// Executes sixty concurrent steps, each of which writes data of a separate customer, with an id such as `c7`.
    ///
    /// One of every ten steps throws `overflow` after its write.
    ///
    /// - Returns: The number of steps that were written, and the number of steps that failed with `overflow`.
    package func carryOutFailingSteps() async -> (written: Int, failed: Int) {
        await withTaskGroup(of: VaultError.Code?.self) { group in
            for number in 0..<60 {
                group.addTask {
                    do throws(VaultError) {
                        try await self.write { tables throws(VaultError) in
                            try tables.setCustomer(CustomerRow(id: CustomerID(rawValue: "c\(number)"), version: 1))
                            if number % 10 == 7 { throw VaultError(.overflow, "made up") }
                        }
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            return await group.reduce(into: (written: 0, failed: 0)) { counts, code in
                if code == nil { counts.written += 1 }
                if code == .overflow { counts.failed += 1 }
            }
        }
    }
}
