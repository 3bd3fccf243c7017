import StorekeeperCharts
import StorekeeperEngine

private func ask(_ timeline: Timeline<EntitlementAnswer>, at instant: Instant) {
    // block 1
    print(now, lastTuesday, since as Any, until as Any, wakeAt as Any)
}

private func draw(_ resolution: Resolution, at instant: Instant) {
    // block 2
    print(picture)
}
