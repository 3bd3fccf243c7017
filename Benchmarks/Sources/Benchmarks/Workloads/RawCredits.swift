import RawPostgres

/// The credits of a vault in PostgreSQL, written by a program in C on libpq.
struct RawCredits {
    /// What it does beside writing rows.
    struct Extras: OptionSet {
        let rawValue: Int32

        /// It locks the customers of a group in a round trip of its own, as one does who is not alone.
        static let locks = Extras(rawValue: Int32(RAW_LOCKS))
        /// It takes places from the row of the feed, and writes a checkpoint and the group's own step.
        static let feed = Extras(rawValue: Int32(RAW_FEED))
        /// It hashes the links of each customer's chain.
        static let chains = Extras(rawValue: Int32(RAW_CHAINS))
        /// It writes what stands for the hashes.
        static let standIns = Extras(rawValue: Int32(RAW_STAND_INS))
        /// It asks for each row by itself, and waits for each answer.
        static let rowByRow = Extras(rawValue: Int32(RAW_ROW_BY_ROW))
    }

    let payload: [UInt8]

    /// Writes credits.
    ///
    /// - Parameter seed: What ids are made of; each seed writes rows of its own.
    /// - Returns: How many seconds it took, connections not counted.
    func write(
        _ count: Int, group: Int, connections: Int, _ extras: Extras, to database: String, seed: UInt64 = 7
    ) throws -> Double {
        var problem = [CChar](repeating: 0, count: 512)
        let seconds = database.withCString { database in
            payload.withUnsafeBufferPointer { payload in
                var job = raw_credits()
                job.database = database
                job.connections = Int32(connections)
                job.credits = Int32(count)
                job.group = Int32(group)
                job.flags = extras.rawValue
                job.payload = payload.baseAddress
                job.payload_length = payload.count
                job.seed = seed
                return raw_postgres_credit(&job, &problem, problem.count)
            }
        }
        guard seconds >= 0 else {
            let text = String(decoding: problem.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw BenchmarkError("libpq alone: \(text)")
        }
        return seconds
    }
}
