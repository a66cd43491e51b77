import BusProtocol

extension BrokerCore {
    /// Handles `$SYS.CHAOS.{SET,LIST,CLEAR}`. Nil for another subject, and always in a broker without fault injection,
    /// where these subjects are reserved like all others under `$SYS.`.
    func chaosReply(_ subject: Span<UInt8>, _ body: Span<UInt8>) -> (body: [UInt8], headers: BusHeaders)? {
        guard let chaos else { return nil }
        if subject.isEqual("$SYS.CHAOS.SET") {
            do throws(BusViolation) {
                let request = try ChaosRequest(body)
                set(request.rules, seed: request.seed, chaos)
            } catch {
                return Self.refusal(error.reason)
            }
        } else if subject.isEqual("$SYS.CHAOS.CLEAR") {
            set([], seed: chaos.seed, chaos)
        } else if !subject.isEqual("$SYS.CHAOS.LIST") {
            return nil
        }
        return (MonitorJSON.encode(ChaosReply(chaos)), [:])
    }

    private func set(_ rules: [ChaosRule], seed: UInt64, _ chaos: Chaos) {
        chaos.set(rules, seed: seed)
        note(.chaos(seed: seed, rules: rules.count))
    }

    /// Creates an error reply in the format of services.
    private static func refusal(_ message: String) -> (body: [UInt8], headers: BusHeaders) {
        struct Envelope: Encodable {
            struct Problem: Encodable {
                let status = 400
                let code = "requestInvalid"
                let message: String
                let retryable = false
            }
            let error: Problem
        }
        return (
            MonitorJSON.encode(Envelope(error: Envelope.Problem(message: message))),
            [BusHeader.natsServiceError: message, BusHeader.natsServiceErrorCode: "400"]
        )
    }
}
