extension MemoryTables {
    /// Stores marks of erased customers.
    ///
    /// This memory has no hashes. It stores those of another vault only for the next copy; they match nothing.
    package mutating func insertMarks(_ marks: ErasedMarks) throws(VaultError) {
        for mark in marks.plain { self.marks[mark] = true }
        for group in marks.hashed {
            var known = hashedMarks[group.secret] ?? []
            known.formUnion(group.digests)
            hashedMarks[group.secret] = known
        }
        record(.marks(marks))
    }

    /// Returns whether an erased customer has left a mark.
    package func isMarked(_ mark: ErasedMark) throws(VaultError) -> Bool {
        if marks[mark] != nil { return true }
        requireRows(.mark(mark))
        return false
    }

    /// All marks.
    var allMarks: ErasedMarks {
        ErasedMarks(
            plain: Array(marks.all.keys),
            hashed: hashedMarks.all.map { ErasedMarks.Hashed(secret: $0, digests: Array($1)) })
    }
}
