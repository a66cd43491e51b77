import Foundation
import Testing

@testable import StoreKitClient

/// M1, M138: the identifiers an app keeps in a property list of its own.
@Suite struct ProductIdentifierListTests {
    private func identifiers(_ text: String) throws -> [String] {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).plist")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(text.utf8).write(to: url)
        return try ProductIdentifierList.identifiers(contentsOf: url)
    }

    private func plist(_ value: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">\(value)</plist>
        """
    }

    @Test func `M1, M138: an array of strings, in its order`() throws {
        let list = plist("<array><string>com.example.b</string><string>com.example.a</string></array>")
        #expect(try identifiers(list) == ["com.example.b", "com.example.a"])
        #expect(try identifiers(plist("<array/>")).isEmpty)
    }

    @Test(arguments: ["<dict/>", "<array><integer>1</integer></array>", "<string>a</string>"])
    func `anything else is corrupt`(value: String) {
        #expect("\(value)") { try identifiers(plist(value)) } throws: { error in
            (error as? CocoaError)?.code == .propertyListReadCorrupt
        }
    }

    @Test func `no file, no property list and a file that is too long are errors`() {
        #expect(throws: (any Error).self) { try identifiers("no list") }
        #expect(throws: (any Error).self) {
            try ProductIdentifierList.identifiers(contentsOf: URL(fileURLWithPath: "/nowhere/ProductIds.plist"))
        }
        #expect("too long") { try identifiers(String(repeating: " ", count: 1024 * 1024 + 1)) } throws: { error in
            (error as? CocoaError)?.code == .fileReadTooLarge
        }
    }
}
