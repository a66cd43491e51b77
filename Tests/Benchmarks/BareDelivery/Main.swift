import CCurl
import Foundation

/// libcurl in a loop that posts the same body: what deliveries cost without a store. For `make bench-notifications`.
///
///     BareDelivery <url> <file> <count> <concurrency> close|keep   posts the file's bytes, prints the microseconds
@main struct BareDelivery {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 5, let count = Int(arguments[2]), let concurrency = Int(arguments[3]),
            let multi = curl_multi_init()
        else { throw BareDeliveryUsage() }
        let body = [UInt8](try Data(contentsOf: URL(fileURLWithPath: arguments[1])))
        let isKept = arguments[4] == "keep"
        let lines = ["Content-Type: application/json", "Expect:"] + (isKept ? [] : ["Connection: close"])
        let headers = lines.reduce(nil) { curl_slist_append($0, $1) }
        let start = ContinuousClock.now
        try body.withUnsafeBytes { body in
            func begin() {
                let easy = curl_easy_init()
                curl_easy_set_text(easy, CURLOPT_URL, arguments[0])
                curl_easy_set_pointer(easy, CURLOPT_HTTPHEADER, headers)
                curl_easy_set_number(easy, CURLOPT_POSTFIELDSIZE, body.count)
                curl_easy_set_pointer(easy, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress))
                curl_easy_set_number(easy, CURLOPT_FORBID_REUSE, isKept ? 0 : 1)
                curl_easy_set_write(easy, CURLOPT_WRITEFUNCTION) { _, _, count, _ in count }
                curl_multi_add_handle(multi, easy)
            }
            var (begun, ended, number): (Int, Int, CInt) = (0, 0, 0)
            while ended < count {
                while begun < count, begun - ended < concurrency {
                    begin()
                    begun += 1
                }
                curl_multi_perform(multi, &number)
                while let message = curl_multi_info_read(multi, &number) {
                    guard message.pointee.data.result == CURLE_OK else {
                        throw Failure(code: message.pointee.data.result)
                    }
                    let easy = message.pointee.easy_handle
                    curl_multi_remove_handle(multi, easy)
                    curl_easy_cleanup(easy)
                    ended += 1
                }
                if ended == begun { continue }
                curl_multi_poll(multi, nil, 0, 1_000, &number)
            }
        }
        let taken = (ContinuousClock.now - start).components
        print(taken.seconds * 1_000_000 + taken.attoseconds / 1_000_000_000_000)
        curl_multi_cleanup(multi)
    }
}

/// What the command line must look like.
struct BareDeliveryUsage: Error, CustomStringConvertible {
    var description: String { "usage: BareDelivery <url> <file> <count> <concurrency> close|keep" }
}

/// A request that failed.
struct Failure: Error, CustomStringConvertible {
    let code: CURLcode
    var description: String { String(cString: curl_easy_strerror(code)) }
}
