module example.com/server-tests

go 1.19
