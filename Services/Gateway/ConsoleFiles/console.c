// Written by scripts/console-files: the files of ../Console.

#include "console.h"

// #embed is a C23 feature that Clang warns about; the depfile names the files, so that changing one triggers a build.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_0[] = {
#embed "../Console/app.js"
};

static const unsigned char file_1[] = {
#embed "../Console/events.worker.js"
};

static const unsigned char file_2[] = {
#embed "../Console/frame.js"
};

static const unsigned char file_3[] = {
#embed "../Console/icon.svg"
};

static const unsigned char file_4[] = {
#embed "../Console/index.html"
};

static const unsigned char file_5[] = {
#embed "../Console/lib/actions.js"
};

static const unsigned char file_6[] = {
#embed "../Console/lib/api.js"
};

static const unsigned char file_7[] = {
#embed "../Console/lib/badge.js"
};

static const unsigned char file_8[] = {
#embed "../Console/lib/buy.js"
};

static const unsigned char file_9[] = {
#embed "../Console/lib/charts.js"
};

static const unsigned char file_10[] = {
#embed "../Console/lib/clock.js"
};

static const unsigned char file_11[] = {
#embed "../Console/lib/data.js"
};

static const unsigned char file_12[] = {
#embed "../Console/lib/export.js"
};

static const unsigned char file_13[] = {
#embed "../Console/lib/family.js"
};

static const unsigned char file_14[] = {
#embed "../Console/lib/faults-banner.js"
};

static const unsigned char file_15[] = {
#embed "../Console/lib/faults.js"
};

static const unsigned char file_16[] = {
#embed "../Console/lib/filter-bar.js"
};

static const unsigned char file_17[] = {
#embed "../Console/lib/filter.js"
};

static const unsigned char file_18[] = {
#embed "../Console/lib/format.js"
};

static const unsigned char file_19[] = {
#embed "../Console/lib/jws.js"
};

static const unsigned char file_20[] = {
#embed "../Console/lib/keys.js"
};

static const unsigned char file_21[] = {
#embed "../Console/lib/live.js"
};

static const unsigned char file_22[] = {
#embed "../Console/lib/metrics.js"
};

static const unsigned char file_23[] = {
#embed "../Console/lib/names.js"
};

static const unsigned char file_24[] = {
#embed "../Console/lib/picture.js"
};

static const unsigned char file_25[] = {
#embed "../Console/lib/rates.js"
};

static const unsigned char file_26[] = {
#embed "../Console/lib/recording.js"
};

static const unsigned char file_27[] = {
#embed "../Console/lib/reorder.js"
};

static const unsigned char file_28[] = {
#embed "../Console/lib/router.js"
};

static const unsigned char file_29[] = {
#embed "../Console/lib/run-chart.js"
};

static const unsigned char file_30[] = {
#embed "../Console/lib/runs.js"
};

static const unsigned char file_31[] = {
#embed "../Console/lib/search.js"
};

static const unsigned char file_32[] = {
#embed "../Console/lib/sessions.js"
};

static const unsigned char file_33[] = {
#embed "../Console/lib/sparkline.js"
};

static const unsigned char file_34[] = {
#embed "../Console/lib/subscriptions.js"
};

static const unsigned char file_35[] = {
#embed "../Console/lib/table.js"
};

static const unsigned char file_36[] = {
#embed "../Console/lib/tap.js"
};

static const unsigned char file_37[] = {
#embed "../Console/lib/transactions.js"
};

static const unsigned char file_38[] = {
#embed "../Console/lib/ui.js"
};

static const unsigned char file_39[] = {
#embed "../Console/lib/who.js"
};

static const unsigned char file_40[] = {
#embed "../Console/pages/bus.js"
};

static const unsigned char file_41[] = {
#embed "../Console/pages/chaos.js"
};

static const unsigned char file_42[] = {
#embed "../Console/pages/customer.js"
};

static const unsigned char file_43[] = {
#embed "../Console/pages/customers.js"
};

static const unsigned char file_44[] = {
#embed "../Console/pages/eligibility.js"
};

static const unsigned char file_45[] = {
#embed "../Console/pages/inbox.js"
};

static const unsigned char file_46[] = {
#embed "../Console/pages/notifications.js"
};

static const unsigned char file_47[] = {
#embed "../Console/pages/overview.js"
};

static const unsigned char file_48[] = {
#embed "../Console/pages/products.js"
};

static const unsigned char file_49[] = {
#embed "../Console/pages/promotions.js"
};

static const unsigned char file_50[] = {
#embed "../Console/pages/run.js"
};

static const unsigned char file_51[] = {
#embed "../Console/pages/services.js"
};

static const unsigned char file_52[] = {
#embed "../Console/pages/settings.js"
};

static const unsigned char file_53[] = {
#embed "../Console/pages/store.js"
};

static const unsigned char file_54[] = {
#embed "../Console/pages/subscriptions.js"
};

static const unsigned char file_55[] = {
#embed "../Console/pages/time.js"
};

static const unsigned char file_56[] = {
#embed "../Console/pages/traces.js"
};

static const unsigned char file_57[] = {
#embed "../Console/pages/transaction.js"
};

static const unsigned char file_58[] = {
#embed "../Console/pages/transactions.js"
};

static const unsigned char file_59[] = {
#embed "../Console/pages.css"
};

static const unsigned char file_60[] = {
#embed "../Console/strings.js"
};

static const unsigned char file_61[] = {
#embed "../Console/strings.pages.js"
};

static const unsigned char file_62[] = {
#embed "../Console/style.css"
};

static const unsigned char file_63[] = {
#embed "../Console/vendor/LICENSE-htm"
};

static const unsigned char file_64[] = {
#embed "../Console/vendor/LICENSE-preact"
};

static const unsigned char file_65[] = {
#embed "../Console/vendor/ORIGIN.md"
};

static const unsigned char file_66[] = {
#embed "../Console/vendor/preact-htm.js"
};

static const struct console_file files[] = {
    {"app.js", file_0, sizeof file_0},
    {"events.worker.js", file_1, sizeof file_1},
    {"frame.js", file_2, sizeof file_2},
    {"icon.svg", file_3, sizeof file_3},
    {"index.html", file_4, sizeof file_4},
    {"lib/actions.js", file_5, sizeof file_5},
    {"lib/api.js", file_6, sizeof file_6},
    {"lib/badge.js", file_7, sizeof file_7},
    {"lib/buy.js", file_8, sizeof file_8},
    {"lib/charts.js", file_9, sizeof file_9},
    {"lib/clock.js", file_10, sizeof file_10},
    {"lib/data.js", file_11, sizeof file_11},
    {"lib/export.js", file_12, sizeof file_12},
    {"lib/family.js", file_13, sizeof file_13},
    {"lib/faults-banner.js", file_14, sizeof file_14},
    {"lib/faults.js", file_15, sizeof file_15},
    {"lib/filter-bar.js", file_16, sizeof file_16},
    {"lib/filter.js", file_17, sizeof file_17},
    {"lib/format.js", file_18, sizeof file_18},
    {"lib/jws.js", file_19, sizeof file_19},
    {"lib/keys.js", file_20, sizeof file_20},
    {"lib/live.js", file_21, sizeof file_21},
    {"lib/metrics.js", file_22, sizeof file_22},
    {"lib/names.js", file_23, sizeof file_23},
    {"lib/picture.js", file_24, sizeof file_24},
    {"lib/rates.js", file_25, sizeof file_25},
    {"lib/recording.js", file_26, sizeof file_26},
    {"lib/reorder.js", file_27, sizeof file_27},
    {"lib/router.js", file_28, sizeof file_28},
    {"lib/run-chart.js", file_29, sizeof file_29},
    {"lib/runs.js", file_30, sizeof file_30},
    {"lib/search.js", file_31, sizeof file_31},
    {"lib/sessions.js", file_32, sizeof file_32},
    {"lib/sparkline.js", file_33, sizeof file_33},
    {"lib/subscriptions.js", file_34, sizeof file_34},
    {"lib/table.js", file_35, sizeof file_35},
    {"lib/tap.js", file_36, sizeof file_36},
    {"lib/transactions.js", file_37, sizeof file_37},
    {"lib/ui.js", file_38, sizeof file_38},
    {"lib/who.js", file_39, sizeof file_39},
    {"pages/bus.js", file_40, sizeof file_40},
    {"pages/chaos.js", file_41, sizeof file_41},
    {"pages/customer.js", file_42, sizeof file_42},
    {"pages/customers.js", file_43, sizeof file_43},
    {"pages/eligibility.js", file_44, sizeof file_44},
    {"pages/inbox.js", file_45, sizeof file_45},
    {"pages/notifications.js", file_46, sizeof file_46},
    {"pages/overview.js", file_47, sizeof file_47},
    {"pages/products.js", file_48, sizeof file_48},
    {"pages/promotions.js", file_49, sizeof file_49},
    {"pages/run.js", file_50, sizeof file_50},
    {"pages/services.js", file_51, sizeof file_51},
    {"pages/settings.js", file_52, sizeof file_52},
    {"pages/store.js", file_53, sizeof file_53},
    {"pages/subscriptions.js", file_54, sizeof file_54},
    {"pages/time.js", file_55, sizeof file_55},
    {"pages/traces.js", file_56, sizeof file_56},
    {"pages/transaction.js", file_57, sizeof file_57},
    {"pages/transactions.js", file_58, sizeof file_58},
    {"pages.css", file_59, sizeof file_59},
    {"strings.js", file_60, sizeof file_60},
    {"strings.pages.js", file_61, sizeof file_61},
    {"style.css", file_62, sizeof file_62},
    {"vendor/LICENSE-htm", file_63, sizeof file_63},
    {"vendor/LICENSE-preact", file_64, sizeof file_64},
    {"vendor/ORIGIN.md", file_65, sizeof file_65},
    {"vendor/preact-htm.js", file_66, sizeof file_66},
};

const struct console_file *console_files(size_t *count) {
    *count = sizeof files / sizeof files[0];
    return files;
}
