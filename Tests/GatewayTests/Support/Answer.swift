import HTTPTypes
import NIOHTTP1
import StoreModels

/// An answer of the gateway, read whole.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    var json: JSONValue { (try? StrictJSON.parse(body)) ?? .null }
    var text: String { String(decoding: body, as: UTF8.self) }
    var code: String? { json["code"]?.stringValue }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try StoreJSON.decode(type, from: body) }
}
