internal import CCurl
import EventLoop
import Glibc

/// A request for a ``CurlTransfer``, over HTTP/1.1.
package struct CurlRequest: Sendable {
    /// The bytes after its head.
    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Bytes that are read as they are sent. The closure fills a buffer on the loop and returns their number. Nil
        /// ends the transfer.
        case source(length: Int64, @Sendable (UnsafeMutableRawBufferPointer) -> Int?)
    }

    package var method: String
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: Body
    /// Whether it has a connection of its own, which ends with it.
    package var isAlone = false
    /// Timeout of look-up, connection and TLS. Nil uses libcurl's.
    package var connectTimeout: Duration?
    /// Maximum number of redirects to follow.
    package var redirectsMax = 0
    /// Addresses of a host, as `example.com:443:192.0.2.1,[2001:db8::1]`. Others are looked up by libcurl.
    package var addresses: String?

    package init(
        _ method: String, _ url: String, headers: [(name: String, value: String)] = [], body: Body = .none
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// A field of a head.
package struct CurlField: Hashable, Sendable {
    /// In lower case.
    package var name: String
    package var value: String
}

extension [CurlField] {
    /// The first value of a name.
    subscript(_ name: String) -> String? { first { $0.name == name }?.value }
}

/// Takes the response of a transfer, on the loop. The transfer does not keep it.
package protocol CurlReceiver: AnyObject {
    /// Whether a connection may be made to an address, a `sockaddr`.
    func admits(_ address: UnsafeRawPointer) -> Bool

    /// Takes the end of the head, which the transfer has.
    /// - Returns: False to end the transfer.
    func takeHead(of transfer: CurlTransfer) -> Bool

    /// Takes bytes of the body.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> CurlReaction
}

/// A receiver's reaction to bytes of a body.
package enum CurlReaction: Hashable, Sendable {
    case taken
    /// They come again after ``CurlMulti/resume(_:)``. Until then the connection is not read.
    case paused
    /// The transfer ends with ``CurlFailure/Kind/stopped``.
    case ended
}

/// One request and its response. It is sent once: where a kept connection turns out to be closed, the transfer fails.
package final class CurlTransfer {
    /// Maximum bytes read of the heads of a transfer, interim ones with them.
    package static let headBytesMax = 64 * 1024

    let easy: UnsafeMutableRawPointer
    /// Whether the final head has ended. Heads of interim responses and followed redirects do not count.
    package private(set) var hasHead = false

    private weak var receiver: (any CurlReceiver)?
    private let request: CurlRequest
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    private var message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// The lines of the last head.
    private var head: [UInt8] = []
    private var headBytes = 0
    /// The reason why the transfer ended itself.
    private var stop: CurlFailure.Kind?
    /// Whether the request was sent, and no byte of a response has come.
    private var isSent = false

    /// - Throws: For a URL or a header that cannot be sent, and when memory is short.
    package init(_ request: CurlRequest, for receiver: any CurlReceiver) throws(CurlFailure) {
        guard let url = CurlURL(request.url), ["http", "https"].contains(url.scheme) else {
            throw CurlFailure(.other, "'\(request.url)' is not an http or https URL")
        }
        if let name = request.headers.first(where: { $0.value.utf8.contains { [0, 10, 13].contains($0) } })?.name {
            throw CurlFailure(.other, "a line break in the header \(name)")
        }
        guard let easy = curl_easy_init() else { throw CurlFailure(.other, "out of memory") }
        self.easy = easy
        self.request = request
        self.receiver = receiver
        message.pointee = 0
        curl_easy_set_text(easy, CURLOPT_URL, request.url)
        curl_easy_set_number(easy, CURLOPT_PATH_AS_IS, 1)
        curl_easy_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        curl_easy_set_number(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // A proxy of the environment would make connections that are not judged.
        curl_easy_set_text(easy, CURLOPT_PROXY, "")
        curl_easy_set_number(easy, CURLOPT_NOSIGNAL, 1)
        // A look-up that lasts would block the loop when its transfer ends.
        curl_easy_set_number(easy, CURLOPT_QUICK_EXIT, 1)
        if request.isAlone {
            curl_easy_set_number(easy, CURLOPT_FRESH_CONNECT, 1)
            curl_easy_set_number(easy, CURLOPT_FORBID_REUSE, 1)
        }
        if let timeout = request.connectTimeout {
            curl_easy_set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, timeout.wholeMilliseconds))
        }
        if request.redirectsMax > 0 {
            curl_easy_set_number(easy, CURLOPT_FOLLOWLOCATION, 1)
            curl_easy_set_number(easy, CURLOPT_MAXREDIRS, request.redirectsMax)
        }
        if let addresses = request.addresses {
            // The plus has libcurl forget it after a minute.
            curl_easy_set_pointer(easy, CURLOPT_RESOLVE, list(["+" + addresses]))
        }
        setBody()
        setHeaders()
        setCallbacks()
    }

    deinit {
        curl_easy_cleanup(easy)
        for list in lists { curl_slist_free_all(list) }
        message.deallocate()
    }

    /// The status of the response. Nil until its head has ended.
    package var status: Int? { hasHead ? curl_easy_get_number(easy, CURLINFO_RESPONSE_CODE) : nil }

    /// Whether a connection was made.
    package var isConnected: Bool { curl_easy_get_number(easy, CURLINFO_LOCAL_PORT) > 0 }

    /// The fields of the head.
    package var fields: [CurlField] {
        head.split(separator: UInt8(ascii: "\n")).dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let isSpace: (UInt8) -> Bool = { $0 <= UInt8(ascii: " ") }
            var value = line[(colon + 1)...].drop(while: isSpace)
            while value.last.map(isSpace) == true { value.removeLast() }
            return CurlField(
                name: String(decoding: line[..<colon], as: UTF8.self).lowercased(),
                value: String(decoding: value, as: UTF8.self))
        }
    }

    /// The target of the head's redirect. Nil without a redirect.
    package var location: String? {
        guard [301, 302, 303, 307, 308].contains(curl_easy_get_number(easy, CURLINFO_RESPONSE_CODE)) else { return nil }
        return fields["location"]
    }

    /// Describes the end of a transfer. Nil for that of a whole response.
    func failure(_ code: CURLcode) -> CurlFailure? {
        guard code != CURLE_OK else { return nil }
        return CurlFailure(
            stop ?? CurlFailure.Kind(code, hasHead: hasHead),
            String(cString: message.pointee != 0 ? UnsafePointer(message) : curl_easy_strerror(code)),
            systemError: CInt(curl_easy_get_number(easy, CURLINFO_OS_ERRNO)))
    }

    // MARK: Options

    private func list(_ lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
        let list = lines.reduce(nil) { curl_slist_append($0, $1) ?? $0 }
        if let list { lists.append(list) }
        return list
    }

    private func setHeaders() {
        var lines = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        // A large body is sent at once, too, and has no type of libcurl's.
        lines.append("Expect:")
        if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            lines.append("Content-Type:")
        }
        if request.isAlone { lines.append("Connection: close") }
        curl_easy_set_pointer(easy, CURLOPT_HTTPHEADER, list(lines))
    }

    private func setBody() {
        let method: String
        switch request.body {
        case .none where request.method == "HEAD":
            curl_easy_set_number(easy, CURLOPT_NOBODY, 1)
            method = "HEAD"
        case .none where request.method != "POST" && request.method != "PUT": method = "GET"
        case .none: method = setBody([])
        case .bytes(let bytes): method = setBody(bytes)
        case .source(let length, _):
            curl_easy_set_number(easy, CURLOPT_UPLOAD, 1)
            curl_easy_set_size(easy, CURLOPT_INFILESIZE_LARGE, Int(length))
            method = "PUT"
        }
        if method != request.method { curl_easy_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method) }
    }

    /// - Returns: The method that libcurl sends it with.
    private func setBody(_ bytes: [UInt8]) -> String {
        curl_easy_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, bytes.count)
        // Without a pointer libcurl would read the body from standard input.
        (bytes.isEmpty ? [0] : bytes).withUnsafeBytes {
            _ = curl_easy_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress))
        }
        return "POST"
    }

    private func setCallbacks() {
        let me = Unmanaged.passUnretained(self).toOpaque()
        curl_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, message)
        curl_easy_set_pointer(easy, CURLOPT_HEADERDATA, me)
        curl_easy_set_write(easy, CURLOPT_HEADERFUNCTION) { bytes, _, count, owner in
            CurlTransfer.of(owner).takeLine(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
        }
        curl_easy_set_pointer(easy, CURLOPT_WRITEDATA, me)
        curl_easy_set_write(easy, CURLOPT_WRITEFUNCTION) { bytes, _, count, owner in
            switch CurlTransfer.of(owner).takeBody(UnsafeRawBufferPointer(start: bytes, count: count)) {
            case .taken: count
            case .paused: Int(CURL_WRITEFUNC_PAUSE)
            case .ended: 0
            }
        }
        curl_easy_set_pointer(easy, CURLOPT_READDATA, me)
        curl_easy_set_read(easy) { bytes, _, count, owner in
            CurlTransfer.of(owner).read(UnsafeMutableRawBufferPointer(start: bytes, count: count))
                ?? Int(CURL_READFUNC_ABORT)
        }
        curl_easy_set_pointer(easy, CURLOPT_PREREQDATA, me)
        curl_easy_set_before_request(easy) { owner, _, _, _, _ in
            CurlTransfer.of(owner).send() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        curl_easy_set_pointer(easy, CURLOPT_OPENSOCKETDATA, me)
        curl_easy_set_open_socket(easy) { owner, _, address in
            guard let address else { return CURL_SOCKET_BAD }
            return CurlTransfer.of(owner).openSocket(&address.pointee)
        }
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> CurlTransfer {
        Unmanaged<CurlTransfer>.fromOpaque(owner!).takeUnretainedValue()
    }

    // MARK: Callbacks of libcurl

    private func openSocket(_ address: inout curl_sockaddr) -> curl_socket_t {
        guard withUnsafePointer(to: &address.addr, { receiver?.admits(UnsafeRawPointer($0)) ?? false }) else {
            return CURL_SOCKET_BAD
        }
        return socket(address.family, address.socktype | CInt(SOCK_CLOEXEC.rawValue), address.protocol)
    }

    /// Whether the request may be sent. libcurl would repeat a request whose kept connection has ended without a
    /// response, but the server may have carried it out.
    private func send() -> Bool {
        guard !isSent else { return ends(.noResponse) }
        isSent = true
        return true
    }

    private func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard case .source(_, let read) = request.body else { return 0 }
        return read(buffer)
    }

    /// Takes a line of a head, or of the fields behind a body.
    /// - Returns: False to end the transfer.
    private func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
        headBytes += line.count
        guard headBytes <= Self.headBytesMax else { return ends(.headTooLarge) }
        if line.starts(with: "HTTP/".utf8) { (hasHead, isSent, head) = (false, false, []) }
        guard !hasHead else { return true }
        head += line
        guard line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8),
            curl_easy_get_number(easy, CURLINFO_RESPONSE_CODE) >= 200, request.redirectsMax == 0 || location == nil
        else { return true }
        hasHead = true
        return receiver?.takeHead(of: self) == true || ends(.stopped)
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> CurlReaction {
        let reaction = receiver?.takeBody(bytes) ?? .ended
        if reaction == .ended { stop = .stopped }
        return reaction
    }

    private func ends(_ stop: CurlFailure.Kind) -> Bool {
        self.stop = stop
        return false
    }
}
