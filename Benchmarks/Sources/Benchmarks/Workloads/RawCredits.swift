import RawPostgres

/// The credits of a vault in PostgreSQL, written by a C program on libpq.
struct RawCredits {
    /// Its work in addition to writing rows.
    struct Extras: OptionSet {
        let rawValue: Int32

        /// It locks the customers of a group in a separate round trip, as with concurrent writers.
        static let locks = Extras(rawValue: Int32(RAW_LOCKS))
        /// It takes places from the row of the feed, and writes a checkpoint and the group's step.
        static let feed = Extras(rawValue: Int32(RAW_FEED))
        /// It hashes the links of each customer's chain.
        static let chains = Extras(rawValue: Int32(RAW_CHAINS))
        /// It writes placeholders for the hashes.
        static let standIns = Extras(rawValue: Int32(RAW_STAND_INS))
        /// It sends each statement separately and waits for each result.
        static let rowByRow = Extras(rawValue: Int32(RAW_ROW_BY_ROW))
        /// It looks up the rows on which a credit depends, in the round trip of the locks.
        static let lookUps = Extras(rawValue: Int32(RAW_LOOK_UPS))

        /// The work that no vault can avoid which several nodes share.
        static let necessary: Extras = [.locks, .feed, .chains, .lookUps]
    }

    let payload: [UInt8]

    /// Writes credits.
    ///
    /// - Parameter seed: The base of the ids; each seed writes separate rows.
    /// - Returns: The duration in seconds, without connecting.
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
