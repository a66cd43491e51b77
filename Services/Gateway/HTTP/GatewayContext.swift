import Hummingbird
import Logging
import NIOCore

/// What Hummingbird hands to the responder with each request: the connection, which a stream needs in order to cut a
/// reader that stands still.
struct GatewayContext: InitializableFromSource {
    let channel: any Channel
    let logger: Logger

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        logger = source.logger
    }
}
