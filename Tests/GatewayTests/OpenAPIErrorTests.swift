import StoreModels
import Testing

@testable import Gateway

/// Goal: `openapi.json` has the registry's errors, at the statuses of the registry.
@Suite struct OpenAPIErrorTests {
    private let document: OpenAPIDocument

    init() throws { document = try OpenAPIDocument() }

    @Test func `every code of the contract is in the problem's schema`() throws {
        let listed = document.schema("Problem")?["properties"]?["code"]?["enum"]?.arrayValue ?? []
        #expect(Set(listed.compactMap(\.stringValue)) == Set(StoreErrorCode.all.map(\.name)))
    }

    @Test func `every error answer is a problem and names codes that have its status`() throws {
        for operation in document.operations.values {
            for (status, answer) in operation.value["responses"]?.objectValue ?? [:] where status >= "400" {
                let place: Comment = "\(operation.name): \(status)"
                let response = try #require(document.resolved(answer), place)
                // Readiness is asked by machines that want its body in either case.
                if operation.name == "GET /readyz" && status == "503" { continue }
                if Self.isApples(answer) { continue }
                let codes = try #require(self.codes(of: response), place)
                #expect(!codes.isEmpty, place)
                for code in codes { #expect(isPossible(code, status), "\(operation.name): \(code.name) at \(status)") }
            }
        }
    }

    /// Whether a reference is to an error of the App Store Server API.
    private static func isApples(_ answer: JSONValue) -> Bool {
        answer["$ref"]?.stringValue?.hasPrefix("#/components/responses/ServerAPI") == true
    }

    @Test func `errors of the App Store Server API are all of Apple's, at the status of their numbers`() throws {
        var numbers: Set<Int> = []
        for (status, component) in [
            ("400", "Invalid"), ("403", "Forbidden"), ("404", "NotFound"), ("429", "RateLimited"),
            ("500", "Fault"),
        ] {
            let response = document.root["components"]?["responses"]?["ServerAPI\(component)"]
            let parts = response?["content"]?["application/json"]?["schema"]?["allOf"]?.arrayValue ?? []
            #expect(parts.first?["$ref"] == "#/components/schemas/ServerAPIError")
            let codes = (parts.last?["properties"]?["errorCode"]?["enum"]?.arrayValue ?? []).compactMap(\.intValue)
            #expect(!codes.isEmpty && codes.allSatisfy { "\($0 / 10_000)" == status })
            numbers.formUnion(codes)
        }
        #expect(numbers == Set(ServerAPIError.all.map(\.code)))
        for operation in document.operations.values {
            let isServerAPI = operation.schemes == ["serverAPI"]
            for (status, answer) in operation.value["responses"]?.objectValue ?? [:] {
                guard status >= "400", status != "503" else { continue }
                #expect(Self.isApples(answer) == isServerAPI, "\(operation.name): \(status)")
            }
        }
    }

    /// `requestInvalid` has the status of what is invalid: the length, the type, the quantity. A purchase URL can be read
    /// and has a fault; the URL of an endpoint is a member that is malformed.
    private func isPossible(_ code: StoreErrorCode, _ status: String) -> Bool {
        guard StoreErrorCode.all.contains(code) else { return false }
        if code == .requestInvalid { return ["400", "408", "411", "415", "416", "422"].contains(status) }
        if code == .urlInvalid { return ["400", "422"].contains(status) }
        return "\(code.status)" == status
    }

    private func codes(of response: JSONValue) -> [StoreErrorCode]? {
        let schema = response["content"]?["application/problem+json"]?["schema"]
        let parts = schema?["allOf"]?.arrayValue ?? []
        guard parts.first?["$ref"]?.stringValue == "#/components/schemas/Problem", parts.count == 2 else { return nil }
        return parts[1]["properties"]?["code"]?["enum"]?.arrayValue?.compactMap {
            $0.stringValue.map { StoreErrorCode($0) }
        }
    }

    private let files: Set = [
        "PUT /admin/v1/apps/{bundleId}/catalog", "PUT /admin/v1/apps/{bundleId}/products/{id}/content",
        "PUT /admin/v1/apps/{bundleId}/products/{id}/promotion-image", "POST /verifyReceipt", "POST /ocsp",
    ]

    @Test func `a body can be too large and of the wrong type, and nothing else can`() {
        for operation in document.operations.values {
            // Apple's API has one response to whatever body it cannot read.
            let hasBody = operation.value["requestBody"] != nil && operation.schemes != ["serverAPI"]
            #expect(operation.statuses.contains("413") == hasBody, "\(operation.name): 413")
            // A file is accepted with any content type, and Apple's clients send receipts with various ones.
            let isTyped = hasBody && !files.contains(operation.name)
            #expect(operation.statuses.contains("415") == isTyped, "\(operation.name): 415")
        }
    }

    @Test func `401 says how to authenticate, and what may be repeated says when`() throws {
        let responses = document.root["components"]?["responses"]?.objectValue ?? [:]
        for (name, response) in responses where !name.hasPrefix("ServerAPI") {
            let headers = Set((response["headers"]?.objectValue ?? [:]).keys)
            let codes = try #require(self.codes(of: response), "\(name)")
            #expect(headers.contains("WWW-Authenticate") == codes.contains(.unauthenticated), "\(name)")
            // What an operator does to a subscription may have been done, and a second time would be one more.
            let isRepeatable = name != "PerhapsDone" && codes.contains(where: \.isRetryable)
            #expect(headers.contains("Retry-After") == isRepeatable, "\(name)")
        }
    }
}
