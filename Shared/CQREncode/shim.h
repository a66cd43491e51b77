// libqrencode as Debian 12 ships it (4.1.1). Only the gateway imports this module.
#pragma once
#include <qrencode.h>
