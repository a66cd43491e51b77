"""Speaks with `storebus mcp` as agents' programs do, by the protocol's own SDK, in both of its ways to begin.

    check.py EXECUTABLE         in the directory of a running store
"""

import asyncio
import json
import sys

import mcp

EXECUTABLE = sys.argv[1]
checks = 0


def check(what, holds, *seen):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"mcp-client: {what}: {seen}")


async def data(client, tool, **arguments):
    """The data of a call that succeeds."""
    result = await client.call_tool(tool, arguments)
    check(f"{tool} succeeds", not result.is_error, result)
    return json.loads(result.content[0].text)["data"]


def listing(tools):
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    return f"{len(tools)} tools of {len(json.dumps(tools, separators=(',', ':'))) // 1000} kB"


async def reading(mode):
    parameters = mcp.StdioServerParameters(command=EXECUTABLE, args=["mcp"])
    async with mcp.Client(parameters, mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        check("some forty tools", len(tools) > 40, len(tools))
        check("all of them read", all(tool.annotations.read_only_hint for tool in tools.values()))
        check("none of them buys", "buy" not in tools)
        products = await data(client, "product_list")
        check("the sample has products", len(products) > 3, products)
        refused = await client.call_tool("buy", {"product": "com.example.fishingHotSpots", "as": "alice"})
        check("buy is refused", refused.is_error and "--write" in refused.content[0].text, refused)
        check("nothing was bought", await data(client, "tx_list") == [])
        for file in ("/dev/stdin", "-"):
            taken = await client.call_tool("verify", {"file": file})
            check(f"{file} takes nothing of the protocol", taken.is_error, taken)
        at_once = await asyncio.gather(*(data(client, "status") for _ in range(8)))
        check("eight calls at once are answered", all(status["ready"] for status in at_once), at_once[0])
        return listing(tools.values())


async def writing():
    few = mcp.StdioServerParameters(command=EXECUTABLE, args=["mcp", "--write", "--only", "buy,tx"])
    async with mcp.Client(few) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        check("--only names groups", names == {"buy", "tx_list", "tx_show", "tx_finish", "tx_delete"}, names)
    parameters = mcp.StdioServerParameters(command=EXECUTABLE, args=["mcp", "--write"])
    async with mcp.Client(parameters) as client:
        tools = (await client.list_tools()).tools
        store = (await data(client, "store_create"))["store"]
        bought = await data(
            client, "buy", **{"product": "com.example.fishingHotSpots", "as": "alice", "store": store})
        listed = await data(client, "tx_list", store=store, unfinished=True)
        check("it is in that store", [item["id"] for item in listed] == [bought["transaction"]["id"]], listed, bought)
        check("and in no other", await data(client, "tx_list") == [])
        wrong = await client.call_tool("tx_show", {"transaction": "9999", "store": store})
        check("an unknown transaction is named", wrong.is_error and "9999" in wrong.content[0].text, wrong)
        unsaid = await client.call_tool("store_delete", {"store": [store]})
        check("a deletion asks", unsaid.is_error and "--yes" in unsaid.content[0].text, unsaid)
        await data(client, "store_delete", store=[store], yes=True)
        return listing(tools)


async def main():
    for mode in ("auto", "legacy"):
        read = await reading(mode)
    everything = await writing()
    print(f"mcp-client: {checks} checks; {read}, with --write {everything}")


asyncio.run(main())
