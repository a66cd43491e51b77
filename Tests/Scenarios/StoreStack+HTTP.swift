import CurlLoop
import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting

extension StoreStack {
    /// An answer of the gateway.
    struct Answer {
        let status: Int
        let headers: HTTPHeaders
        let body: [UInt8]

        func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
            try StoreJSON.decode(type, from: body)
        }

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Addresses of all gateways, of which `url` is the first. A gateway that starts slowly has a line without address.
    var gateways: [String] {
        let others = output.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ")
            guard words.first?.hasPrefix("gateway#") == true, words.last?.hasPrefix("http://") == true else {
                return nil
            }
            return words.last.map(String.init)
        }
        return [url] + others
    }

    /// One request; the answer with any status, or an error when there was none.
    func request(
        _ method: HTTPMethod, _ path: String, token: String? = nil, headers: [String: String] = [:],
        body: [UInt8]? = nil, at gateway: String? = nil,
        timeout: Duration = .seconds(10)
    ) async throws -> Answer {
        var headers = headers
        if let token { headers["authorization"] = "Bearer \(token)" }
        if body != nil { headers["content-type"] = "application/json" }
        let response = await CurlConnections.exchange(
            CurlRequest(
                method.rawValue, (gateway ?? url) + path, headers: headers.map { ($0.key, $0.value) },
                body: body.map { .bytes($0) } ?? .none),
            within: timeout, CurlBodyBound(bytesMax: 16 << 20))
        if let failure = response.failure { throw failure }
        return Answer(
            status: response.status ?? 0, headers: HTTPHeaders(response.fields.map { ($0.name, $0.value) }),
            body: response.body)
    }

    /// PUTs a catalogue file for an app.
    func importCatalog(_ path: String, bundleId: String) async throws -> Answer {
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        return try await request(
            .PUT, "/admin/v1/apps/\(bundleId)/catalog", token: adminKey, body: Array(file), timeout: .seconds(30))
    }

    /// Launches the app for an account.
    func session(
        account: String, bundleId: String = "com.example.app", deviceId: String? = nil, storefront: String? = nil
    ) async throws -> ScenarioCustomer {
        var members: [String: JSONValue] = [
            "bundleId": .string(bundleId), "deviceId": .string(deviceId ?? "\(account)-1"), "account": .string(account),
            "platform": "iOS", "osVersion": "17.0", "appVersion": "1.0",
        ]
        if let storefront { members["storefront"] = .string(storefront) }
        let answer = try await repeated(.POST, "/v1/sessions", .object(members))
        guard answer.status == 201, let token = try answer.decoded(as: JSONValue.self)["token"]?.stringValue else {
            throw StackError("no session: \(answer.status) \(answer.text)")
        }
        return ScenarioCustomer(store: self, token: token)
    }
}
