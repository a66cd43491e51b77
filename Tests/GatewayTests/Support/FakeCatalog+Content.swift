import Cryptography
import EventLoop
import Foundation
import StoreModels

/// Hosted content of one product, version 1.0.
extension FakeCatalog {
    func serveContent() {
        service.handle(CatalogEndpoints.beginContent) { [self] request in
            guard request.productIdentifier == Sample.hiddenBeaches.productIdentifier else {
                throw StoreError(.notFound, "there is no such product")
            }
            guard request.version == "1.0" else {
                throw StoreError(.catalogInvalid, "the catalogue declares version 1.0, not \(request.version)")
            }
            return contents.withLock { contents in
                let identifier = "u\(contents.contentUploads.count)"
                contents.contentUploads[identifier] = (request, [])
                return BeginContentReply(uploadIdentifier: identifier)
            }
        }
        service.handle(CatalogEndpoints.addContentPart) { [self] request in
            let bytes = [UInt8](Data(base64Encoded: request.data) ?? Data())
            return try contents.withLock { contents in
                guard bytes.count <= ContentPartRequest.bytesMax,
                    Int64(contents.contentUploads[request.uploadIdentifier]?.bytes.count ?? -1) == request.offset
                else { throw StoreError(.requestInvalid, "the part does not follow") }
                contents.contentUploads[request.uploadIdentifier]?.bytes += bytes
                return Empty()
            }
        }
        service.handle(CatalogEndpoints.commitContent) { [self] request in
            try contents.withLock { contents in
                guard let upload = contents.contentUploads.removeValue(forKey: request.uploadIdentifier),
                    upload.bytes.count == Int(request.length)
                else { throw StoreError(.catalogInvalid, "another length") }
                let isReplaced = contents.hosted != nil
                contents.hosted = (Self.describe(upload.bytes), upload.bytes)
                return CommitContentReply(content: Self.describe(upload.bytes), isReplaced: isReplaced)
            }
        }
        service.handle(CatalogEndpoints.getContent) { [self] request in
            guard let hosted = contents.withLock({ $0.hosted }), request.version ?? "1.0" == "1.0",
                request.productIdentifier == Sample.hiddenBeaches.productIdentifier
            else { throw StoreError(.notFound, "there is no such content") }
            return hosted.content
        }
        service.handle(CatalogEndpoints.readContent) { [self] request in
            let hosted = contents.withLock { contents in
                contents.readRequests.append(request)
                return contents.hosted
            }
            guard let hosted, hosted.content.sha256 == request.sha256 else {
                throw StoreError(.notFound, "the content was replaced")
            }
            let bytes = hosted.bytes.dropFirst(Int(request.offset)).prefix(request.length)
            return ContentPart(data: Data(bytes).base64EncodedString())
        }
    }

    func host(_ bytes: [UInt8]) { contents.withLock { $0.hosted = (Self.describe(bytes), bytes) } }

    private static func describe(_ bytes: [UInt8]) -> HostedContent {
        let digest = SHA256.hash(data: bytes).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return HostedContent(
            contentIdentifier: Sample.hiddenBeaches.productIdentifier, contentVersion: "1.0",
            contentLength: Int64(bytes.count), sha256: digest)
    }
}
