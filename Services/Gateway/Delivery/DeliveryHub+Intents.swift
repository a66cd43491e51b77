import BusService
import Logging
import StoreModels

extension DeliveryHub {
    /// Reads the latest intent number of each installation that handles intents. It runs once a second, so a lost hint
    /// delays an intent by a second. One request covers 500 installations with all their streams.
    func readIntentHeads() async {
        let handling = streams.filter(\.handlesIntents).map { ($0, $0.intentPosition) }
        let installations = Dictionary(grouping: handling, by: { $0.0.session.installation })
        var rest = Array(installations.keys)[...]
        while !rest.isEmpty {
            let page = Array(rest.prefix(IntentHeadsRequest.installationsMax))
            rest = rest.dropFirst(page.count)
            do {
                let reply = try await services.call(
                    PromotionEndpoints.intentHeads, IntentHeadsRequest(installations: page.map(\.reference)),
                    context: CallContext(deadline: .now + DeliveryLimits.headsInterval))
                for (installation, head) in zip(page, reply.heads) {
                    for (stream, asked) in installations[installation] ?? [] {
                        stream.receive(intentHead: head, askedAt: asked)
                    }
                }
            } catch {
                logger.debug("heads of intents could not be read", metadata: ["code": "\(error.code)"])
                for installation in page {
                    for (stream, _) in installations[installation] ?? [] { stream.intentHeadsFailed() }
                }
            }
        }
    }
}
