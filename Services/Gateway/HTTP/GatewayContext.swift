import Hummingbird
import Logging
import NIOCore

/// Context that Hummingbird passes to the responder with each request. It has the connection, which a stream needs in
/// order to cut a stalled reader.
struct GatewayContext: InitializableFromSource {
    let channel: any Channel
    let logger: Logger

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        logger = source.logger
    }
}
