import BusClient
import EventLoop
import Glibc

/// Answers with what it was sent, as one member of a queue group.
struct Echo {
    let bus: SBPClient
    let loop: UVLoop

    func run() async throws {
        _ = try await bus.subscribe(BusBench.subject, queue: "q") { message in
            // A caller that is gone by now misses nothing.
            try? bus.respond(to: message, body: message.body)
        }
        print("ready")
        // Standard output is a pipe here, so nothing would be seen before the end.
        fflush(nil)
        try await loop.sleep(for: .seconds(3600))
    }
}
