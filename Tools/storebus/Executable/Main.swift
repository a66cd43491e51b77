import Glibc
import Storebus

@main
struct StorebusMain {
    static func main() async {
        let status = await CommandLineEntry.run(Array(CommandLine.arguments.dropFirst()))
        exit(status.rawValue)
    }
}
