import Hummingbird
import Logging
import NIOCore

/// Passed by Hummingbird to the responder with each request: the connection, which a stream needs in order to cut a
/// stalled reader.
struct GatewayContext: InitializableFromSource {
    let channel: any Channel
    let logger: Logger

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        logger = source.logger
    }
}
