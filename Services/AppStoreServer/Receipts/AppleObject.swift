import Foundation
import Signing
import StoreModels

/// A JSON object of `verifyReceipt`, where nearly every value is text, also numbers and booleans.
struct AppleObject {
    private var members: [String: JSONValue] = [:]

    var json: JSONValue { .object(members) }

    subscript(name: String) -> JSONValue? {
        get { members[name] }
        set { members[name] = newValue }
    }

    mutating func set(_ name: String, _ text: String?) {
        if let text { members[name] = .string(text) }
    }

    /// Sets `"true"` or `"false"`.
    mutating func set(_ name: String, _ flag: Bool) { set(name, flag ? "true" : "false") }

    /// Sets `"1"` or `"0"`, as Apple encodes the flags of subscriptions.
    mutating func set(_ name: String, digit flag: Bool) { set(name, flag ? "1" : "0") }

    /// Sets three members for an instant: in GMT, in milliseconds and in California's time. The time is in whole
    /// seconds, as in the receipt.
    mutating func set(_ name: String, _ instant: Timestamp) {
        let instant = instant.wholeSeconds
        set(name, "\(Self.text(instant)) Etc/GMT")
        set("\(name)_ms", "\(instant.milliseconds)")
        set("\(name)_pst", "\(Self.text(instant + .seconds(Self.secondsFromGMT(instant)))) America/Los_Angeles")
    }

    /// `2026-11-21 10:00:00`
    private static func text(_ instant: Timestamp) -> String {
        let text = instant.description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
    }

    private static let california = TimeZone(identifier: "America/Los_Angeles")

    private static func secondsFromGMT(_ instant: Timestamp) -> Int {
        guard let california else { preconditionFailure("Foundation brings the zones of the world with it") }
        return california.secondsFromGMT(for: instant.date)
    }
}
