import BusProtocol
import Logging

extension BrokerEvent {
    /// Logs the event as one line, with the metadata keys of all Storebus processes.
    func log(to logger: Logger) {
        switch self {
        case .connected(let cid, let name, let user, let peer):
            // At debug level, as in nats-server: a health check alone connects every few seconds.
            logger.debug("connected", metadata: Self.fields(cid, name, peer, ["user": "\(user)"]))
        case .disconnected(let cid, let name, let peer, let reason):
            logger.log(
                level: reason == "bye" ? .debug : .info, "disconnected",
                metadata: Self.fields(cid, name, peer, ["reason": "\(reason)"]))
        case .slowConsumer(let cid, let name, let peer, let pendingBytes, let why):
            logger.warning(
                "slow consumer closed",
                metadata: Self.fields(cid, name, peer, ["pendingBytes": "\(pendingBytes)", "reason": "\(why)"]))
        case .dropped(let cid, let name, let sid, let count):
            logger.warning(
                "messages dropped",
                metadata: ["cid": "\(cid)", "name": "\(name)", "sid": "\(sid)", "count": "\(count)"])
        case .foreignGreeting(let cid, let peer, let what):
            logger.warning("\(what) on the bus port", metadata: ["cid": "\(cid)", "peer": "\(peer)"])
        case .tlsFailed(let cid, let peer, let error):
            logger.warning("no TLS with a client", metadata: ["cid": "\(cid)", "peer": "\(peer)", "error": "\(error)"])
        case .chaos(let seed, let rules):
            logger.warning("chaos rules set", metadata: ["seed": "\(seed)", "rules": "\(rules)"])
        case .refused(let cid, let name, let code, let message):
            logger.debug(
                "refused",
                metadata: ["cid": "\(cid)", "name": "\(name)", "code": "\(code.rawValue)", "error": "\(message)"])
        }
    }

    private static func fields(
        _ cid: Int, _ name: String, _ peer: String, _ more: Logger.Metadata
    ) -> Logger.Metadata {
        more.merging(["cid": "\(cid)", "name": "\(name)", "peer": "\(peer)"]) { own, _ in own }
    }
}
