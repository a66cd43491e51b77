// libyaml as Debian 12 ships it (0.2.5). Only the command line imports this module.
#pragma once
#include <yaml.h>
