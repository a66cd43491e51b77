import Chaos
import EventLoop
import StoreHTTP
import StoreModels

/// Follows the events of the run's purchases as an operator does. It reads all of them once more in the end.
struct ChaosEventReader: Sendable {
    let client: ChaosClient
    /// The position before the run's first event.
    let begin: String

    /// Time that one request waits for an event.
    private static let poll = Duration.seconds(5)
    private static let pause = Duration.milliseconds(200)

    /// - Throws: The error of the store, which is whole before a run.
    init(_ client: ChaosClient) async throws(CLIError) {
        self.client = client
        begin = try await Retry.run(until: .now + .seconds(10)) { () throws(CLIError) in
            try await client.api.events(Self.request(client, after: nil), within: .zero).after
        }
    }

    /// Reads until the task is cancelled. A position that the store does not know is noted, and given up.
    func run() async {
        var after: String? = begin
        while !Task.isCancelled {
            do throws(CLIError) {
                let reply = try await client.api.events(Self.request(client, after: after), within: Self.poll)
                if !reply.events.isEmpty { client.history.append(line(.event, .events, reply.events)) }
                after = reply.after
            } catch {
                if error.is(.requestInvalid) {
                    var line = line(.event, .events, [])
                    line.detail = ["refused": error.message]
                    client.history.append(line)
                    after = nil
                }
                try? await ContinuousClock().sleep(for: Self.pause)
            }
        }
    }

    /// Reads all events of the run.
    func readFinally(process: Int) async -> HistoryEntry.Kind {
        var events: [StoreEvent] = []
        var after = begin
        do throws(CLIError) {
            while true {
                let reply = try await client.api.events(Self.request(client, after: after), within: .zero)
                events += reply.events
                if reply.after.isExactly(after) { break }
                after = reply.after
            }
        } catch {
            return .info
        }
        var line = line(.ok, .finalEvents, events)
        line.process = process
        client.history.append(line)
        client.world.count(.finalEvents, .ok)
        return .ok
    }

    private static func request(_ client: ChaosClient, after: String?) -> EventsRequest {
        EventsRequest(after: after, type: .purchased, bundleId: client.world.bundleId)
    }

    private func line(
        _ kind: HistoryEntry.Kind, _ operation: HistoryEntry.Operation, _ events: [StoreEvent]
    ) -> HistoryEntry {
        HistoryEntry(
            time: 0, process: 0, kind: kind, operation: operation, app: client.world.bundleId,
            detail: [
                "id": events.map(\.id).joined(separator: " "),
                "transaction": events.map(\.transaction.id).joined(separator: " "),
            ])
    }
}
