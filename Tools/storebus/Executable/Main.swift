import Glibc
import Storebus

@main
struct StorebusMain {
    static func main() async {
        let status = await CommandLineEntry.run(Array(CommandLine.arguments.dropFirst()))
        // exit(3) would free OpenSSL's state while a connection on the loop of libcurl may still use it.
        fflush(nil)
        _exit(status)
    }
}
