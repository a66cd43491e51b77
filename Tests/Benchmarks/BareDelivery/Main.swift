import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// AsyncHTTPClient in a loop that posts the same body: what deliveries cost without a store. For
/// `make bench-notifications`.
///
///     BareDelivery <url> <file> <count> <concurrency> close|keep   posts the file's bytes, prints the microseconds
@main struct BareDelivery {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 5, let count = Int(arguments[2]), let concurrency = Int(arguments[3]) else {
            throw Usage()
        }
        let (url, closes) = (arguments[0], arguments[4] == "close")
        let body = ByteBuffer(bytes: try Data(contentsOf: URL(fileURLWithPath: arguments[1])))
        // One thread, as the notifier has.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = HTTPClient(eventLoopGroupProvider: .shared(group))
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<count {
                if number >= concurrency { try await tasks.next() }
                tasks.addTask {
                    var request = HTTPClientRequest(url: url)
                    request.method = .POST
                    request.headers.add(name: "Content-Type", value: "application/json")
                    if closes { request.headers.add(name: "Connection", value: "close") }
                    request.body = .bytes(body)
                    let response = try await client.execute(request, timeout: .seconds(30))
                    _ = try await response.body.collect(upTo: 1 << 16)
                }
            }
            try await tasks.waitForAll()
        }
        let taken = (ContinuousClock.now - start).components
        print(taken.seconds * 1_000_000 + taken.attoseconds / 1_000_000_000_000)
        try await client.shutdown()
        try await group.shutdownGracefully()
    }
}

/// What the command line must look like.
struct Usage: Error, CustomStringConvertible {
    var description: String { "usage: BareDelivery <url> <file> <count> <concurrency> close|keep" }
}
