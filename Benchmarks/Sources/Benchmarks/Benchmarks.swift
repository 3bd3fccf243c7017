import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Measures Storekeeper and prints one table.
///
/// A missed target does not fail a run, because the machine may be busy. A case that cannot run does.
@main
struct Benchmarks {
    static func main() async {
        do {
            var run = Benchmarks(try Options(Array(CommandLine.arguments.dropFirst())))
            await run.measureAll()
            if run.options.calls == nil { print(run.head + "\n" + run.table.text, terminator: "") }
            if run.hasFailed { exit(1) }
        } catch {
            print("benchmarks: \(error)")
            exit(64)
        }
    }

    private let options: Options
    private var table = ResultTable()
    private var hasFailed = false

    private init(_ options: Options) { self.options = options }

    private var head: String {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let compiler = options.compiler.map { ", Swift \($0)" } ?? ""
        let effort = options.isQuick ? ", quick" : ""
        return """
            Storekeeper benchmarks: \(cores) cores\(compiler), release\(effort)
            Medians over interleaved rounds; processor time of one thread unless it says otherwise. A group that misses a
            target takes as many rounds again, at most twice, and all rounds count.

            """
    }

    private mutating func measureAll() async {
        // First, because memory freed by other cases would distort it.
        if options.includes("simulator") {
            do {
                let years = try SimulatedYears()
                await measure("simulator") { try years.growth() }
                await measure("simulator") { years.signed() }
            } catch {
                fail("Simulator", error)
            }
        }
        await measure("verify") { try verificationCases() }
        await measure("batch") { try batchCases() }
        if ["merge", "resolve", "update", "read", "store"].contains(where: options.includes) {
            do {
                let customers = try SampleCustomers()
                await measure("merge") { mergeCases(customers) }
                await measure("resolve") { try resolutionCases(customers) }
                await measure("update") { try updateCases(customers) }
                await measure("read") { try timelineCases(customers) }
                await measure("store") { try await storeUpdateCases(customers) }
            } catch {
                fail("Histories", error)
            }
        }
        await measure("reader") { try await readerCases() }
        // Enough customers to need far more memory than a pool, and few enough for a small machine.
        let players = options.isQuick ? 4_000 : 20_000
        await measure("pool") { try await durablePoolCases(players: players / 4) }
        await measure("pool") { try await poolCases(players: players) }
        await measure("catalog") { try catalogCases() }
        if options.includes("vault") {
            do {
                let sales = try VaultSales()
                for writers in [1, 8, 64] {
                    await measure("vault") { sales.credits(writers: writers) }
                    await measure("vault") { sales.spends(writers: writers) }
                }
                let opening = try await VaultOpeningCases()
                await measure("vault") { opening.cases() }
            } catch {
                fail("Vaults", error)
            }
        }
        await measure("notifications") { try await NotificationCases(on: PostgresServer.given).group() }
        await measure("client") { try ClientCases().group() }
        await measurePostgres()
        await measureTool()
    }

    private mutating func measurePostgres() async {
        let parts = ["groups", "costs", "standby", "network", "opening"].map { "postgres-\($0)" }
        guard parts.contains(where: options.includes) else { return }
        guard let server = PostgresServer.given else {
            table.add(
                "The vault in PostgreSQL", notRun: "no server; install PostgreSQL, or name one in STOREKEEPER_POSTGRES")
            return
        }
        do {
            let credits = try await PostgresCredits(on: server)
            for writers in [64, 1_024] { await measure(parts[0]) { credits.beside(writers: writers) } }
            await measure(parts[1]) { credits.costs() }
            await measure(parts[2]) { try await credits.standby() }
            await measure(parts[3]) { try await credits.network() }
            await measure(parts[4]) { try await postgresOpening(on: server) }
        } catch {
            fail("The vault in PostgreSQL", error)
        }
    }

    private mutating func measureTool() async {
        guard options.includes("tool") || options.includes("catch-up") else { return }
        guard let tool = options.tool else {
            table.add("The storekeeper program", notRun: "no program was given")
            return
        }
        if options.includes("catch-up") {
            let count = options.customers ?? (options.isQuick ? 500 : 5_000)
            await measure("catch-up") { try await CatchUpCases(tool: tool, count: count).group() }
        }
        guard options.includes("tool") else { return }
        do {
            let cases = try CommandLineCases(tool: tool)
            await measure("tool") { cases.start() }
            if cases.hasVerify {
                await measure("tool") { cases.verification() }
            } else {
                table.add("storekeeper verify --summary", notRun: "the program lacks this command")
            }
        } catch {
            fail("The storekeeper program", error)
        }
    }

    private mutating func measure(_ name: String, _ group: () async throws -> BenchmarkGroup) async {
        guard options.includes(name) else { return }
        do {
            var group = try await group()
            if let name = options.onlyCase { group.keepCases(named: name, andCompared: options.calls == nil) }
            if let calls = options.calls { return try await group.run(calls: calls) }
            let measurements = await group.run(options.isQuick ? .quick : .whole)
            table.add(group.title, measurements)
            hasFailed = hasFailed || measurements.contains { $0.failure != nil }
        } catch {
            fail(name, error)
        }
    }

    private mutating func fail(_ title: String, _ error: any Error) {
        table.add(title, notRun: "\(error)")
        hasFailed = true
    }
}
