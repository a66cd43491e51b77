import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix

/// Hummingbird with one route that answers the same JSON each time: the cost of a request without calls. For
/// `make bench-store-page`.
///
///     BareRoute <port> <file>   answers GET /v1/anything with the file's bytes
@main struct BareRoute {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let port = arguments.first.flatMap({ Int($0) }), let file = arguments.last else {
            throw BareRouteUsage()
        }
        let body = ByteBuffer(bytes: try Data(contentsOf: URL(fileURLWithPath: file)))
        let headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        let router = Router()
        router.get("/v1/**") { _, _ in
            Response(status: .ok, headers: headers, body: .init(byteBuffer: body))
        }
        var logger = Logger(label: "bare")
        logger.logLevel = .warning
        // One thread for HTTP, as the gateway has.
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: 1)), logger: logger)
        try await application.run()
    }
}

/// What the command line must look like.
struct BareRouteUsage: Error, CustomStringConvertible {
    var description: String { "usage: BareRoute <port> <file with the answer>" }
}
