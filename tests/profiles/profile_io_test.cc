// SPDX-License-Identifier: Apache-2.0
#include "profiles/profile_io.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "profiles/builtin/embedded.h"

namespace metadist {
namespace {

// One row in every table.
Profile EveryTable() {
  Profile profile;
  profile.header = {"box",
                    "cpu",
                    "test",
                    4,
                    1,
                    4,
                    0,
                    2,
                    "threads",
                    "2026-01-02",
                    "0.1",
                    {{"compiler", "g++ 12"}},
                    {{"ISA", "AVX-512"}}};
  profile.origins["here"] = {Provenance::kMeasured, "test", "own", "2026-01-02", false};
  profile.origins["paper"] = {Provenance::kBorrowed, "a \"paper\"", "figures only", "", true};
  profile.device.memory_bytes = 1 << 30;
  profile.device.memory_bytes_per_second = 1e10;
  profile.device.link_bytes_per_second = 1.5e9;
  profile.device.contraction_flops_per_second = {{"f32", 1e11}};
  profile.device.vector_flops_per_second = {{"f32", 3.3e9}};
  profile.device.origin = "here";
  Sample sample;
  sample.time_us = 0.1;
  sample.mad_us = 1.0 / 3;
  sample.p10_us = 0.05;
  sample.p90_us = 0.2;
  sample.samples = 12;
  sample.origin = "here";
  profile.contractions[{"f32", 1, 64, 32}][16] = sample;
  profile.contractions[{"f32", 4, 64, 32}][16] = sample;
  profile.kernels[{"Softmax", "f32"}][4096] = sample;
  profile.stream[1024] = sample;
  profile.calls["Conv {pads=[1,1]} f32[8,3]"][2] = sample;
  sample.time_inplace_us = 0.09;
  sample.origin = "paper";
  profile.collectives[{Collective::kAllToAll, "f32", 4, 2, 2, 2, true}][int64_t{1} << 40] = sample;
  profile.p2p["network"][8] = sample;
  profile.efficiency["f32"] = {{{-1.5, 0.25}, {3, 0.75}}, "paper"};
  profile.factors["launch_seconds"] = {1e-6, "here"};
  return profile;
}

TEST(ProfileIo, RoundTripKeepsEveryFieldAndByte) {
  const Profile profile = EveryTable();
  const std::string text = FormatProfile(profile);
  const Result<Profile> back = ParseProfile(text, "x");
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_TRUE(back.value() == profile);
  EXPECT_EQ(FormatProfile(back.value()), text);
  EXPECT_EQ(profile.rows(), 7);
  EXPECT_EQ(
      profile.rows_by_class(),
      (std::map<Provenance, int64_t>{{Provenance::kMeasured, 5}, {Provenance::kBorrowed, 2}}));
}

TEST(ProfileIo, BuiltInProfilesRoundTrip) {
  for (const EmbeddedProfile& embedded : EmbeddedProfiles()) {
    const Result<Profile> first = ParseProfile(std::string(embedded.text), "x");
    ASSERT_TRUE(first.ok()) << first.error().text();
    const std::string text = FormatProfile(first.value());
    const Result<Profile> second = ParseProfile(text, "x");
    ASSERT_TRUE(second.ok());
    EXPECT_TRUE(second.value() == first.value());
    EXPECT_EQ(FormatProfile(second.value()), text);
  }
}

TEST(ProfileIo, FingerprintFollowsThePrices) {
  Profile profile = EveryTable();
  const std::string before = Fingerprint(profile);
  EXPECT_EQ(before.size(), 16u);
  EXPECT_EQ(Fingerprint(EveryTable()), before);
  profile.stream[1024].time_us *= 1.001;
  EXPECT_NE(Fingerprint(profile), before);
}

TEST(ProfileIo, ReadsFiles) {
  const std::string path = testing::TempDir() + "profile_io_test.json";
  std::ofstream(path) << FormatProfile(EveryTable());
  const Result<Profile> back = ReadProfile(path);
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_TRUE(back.value() == EveryTable());
  std::filesystem::remove(path);
}

const char* const kRemedy = "`metadist profile --device cpu -o FILE` writes a profile";

TEST(ProfileIo, FilesThatEndEarlyNameARemedy) {
  const std::string text = FormatProfile(EveryTable());
  for (const size_t length : {size_t{0}, size_t{1}, text.size() / 2, text.size() - 2}) {
    const Result<Profile> profile = ParseProfile(text.substr(0, length), "f");
    ASSERT_FALSE(profile.ok()) << length;
    EXPECT_EQ(profile.error().text().rfind(
                  "f: expected a profile in JSON, got the end of the file at line ", 0),
              0u)
        << length;
    EXPECT_EQ(profile.error().hint, kRemedy) << length;
  }
}

TEST(ProfileIo, RefusesFilesThatCannotBeRead) {
  for (const std::string& path : {testing::TempDir(), testing::TempDir() + "none.json"}) {
    const Result<Profile> profile = ReadProfile(path);
    ASSERT_FALSE(profile.ok());
    const bool absent = path.ends_with("json");
    EXPECT_EQ(profile.error().code, absent ? ErrorCode::kUsage : ErrorCode::kBadInput);
    EXPECT_EQ(profile.error().message, absent ? "no such file" : "expected a file, got a folder");
    EXPECT_EQ(profile.error().hint, kRemedy);
  }
}

// Replaces the only occurrence of `from` in the text of EveryTable().
std::string Broken(const std::string& from, const std::string& to) {
  std::string text = FormatProfile(EveryTable());
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// A change at one place and the resulting error.
const struct {
  const char* from;
  const char* to;
  const char* message;
} kBadFields[] = {
    {"metadist.profile",
     "metadist.plan",
     "f: schema: must be \"metadist.profile\", got \"metadist.plan\""},
    {"\"schema_version\": 1", "\"schema_version\": 2", "f: schema_version: must be 1, got 2"},
    {"\"stream\": [", "\"streams\": [", "f: field 'streams' is unknown"},
    {"\"header\"", "\"heater\"", "f: field 'header' is missing"},
    {"\"kind\":\"cpu\"",
     "\"kind\":\"tpu\"",
     "f: header.kind: must be one of cpu, gpu, got \"tpu\""},
    {"\"cores\":2", "\"cores\":0", "f: header.cores: must be an integer >= 1, got 0"},
    {"\"cores\":2,", "", "f: header: field 'cores' is missing"},
    {"\"memory_bytes\":1073741824",
     "\"memory_bytes\":-1",
     "f: device.memory_bytes: must be an integer >= 1, got -1"},
    {"\"memory_bytes\":1073741824",
     "\"memory_bytes\":18446744073709551615",
     "f: device.memory_bytes: must be an integer >= 1, got 18446744073709551615"},
    {"{\"f32\":100000000000.0}",
     "{\"f32\":\"fast\"}",
     "f: device.contraction_flops_per_second.f32: must be a number > 0, got \"fast\""},
    {"{\"f32\":100000000000.0}",
     "[]",
     "f: device.contraction_flops_per_second: must be an object, got []"},
    {"\"class\":\"measured\"",
     "\"class\":\"guessed\"",
     "f: origins[0].class: must be one of measured, borrowed, analytic, got \"guessed\""},
    {"\"batch\":4", "\"batch\":1.5", "f: contractions[1].batch: must be an integer >= 1, got 1.5"},
    {"\"batch\":4,", "", "f: contractions[1]: the row stands twice"},
    {"\"m\":16", "\"m\":\"16\"", "f: contractions[0].m: must be an integer >= 1, got \"16\""},
    {"\"n\":64", "\"n\":null", "f: contractions[0].n: must be an integer >= 1, got null"},
    {"\"k\":32", "\"q\":32", "f: contractions[0]: field 'q' is unknown"},
    {"\"time_us\":0.1", "\"time_us\":0", "f: contractions[0].time_us: must be a number > 0, got 0"},
    {"\"time_us\":0.1",
     "\"time_us\":-0.1",
     "f: contractions[0].time_us: must be a number > 0, got -0.1"},
    {"\"time_us\":0.1",
     "\"time_us\":[1]",
     "f: contractions[0].time_us: must be a number > 0, got [1]"},
    {"\"mad_us\":0.",
     "\"mad_us\":-0.",
     "f: contractions[0].mad_us: must be a number >= 0, got -0.3"},
    {"\"op\":\"Softmax\"",
     "\"op\":\"\"",
     "f: kernels[0].op: must be a text that is not empty, got \"\""},
    {"\"op\":\"all_to_all\"",
     "\"op\":\"all_to_none\"",
     "f: collectives[0].op: must be one of all_reduce, all_gather, reduce_scatter, all_to_all, "
     "send_recv, got \"all_to_none\""},
    {"\"ranks_per_node\":2",
     "\"ranks_per_node\":1",
     "f: collectives[0]: 4 ranks do not fit on 2 nodes with 1 ranks each"},
    {"\"strided\":true",
     "\"strided\":1",
     "f: collectives[0].strided: must be true or false, got 1"},
    {"\"ranks\":4",
     "\"ranks\":400000000000",
     "f: collectives[0].ranks: must be an integer from 2 to 1048576, got 400000000000"},
    {"\"fraction\":0.25",
     "\"fraction\":1.25",
     "f: efficiency[0].fraction: must be at most 1, got 1.25"},
    {"\"value\":1e-06", "\"value\":-1", "f: factors[0].value: must be a number >= 0, got -1"},
    {"\"origin\":\"paper\"",
     "\"origin\":\"hearsay\"",
     "must be in the table of origins, got \"hearsay\""},
    {"\"dtype\":\"f32\"", "\"dtype\":\"f33\"", ".dtype: must be an element type, got \"f33\""},
    {"\"p2p\": [\n{", "\"p2p\": [\n7,{", "f: p2p[0]: must be an object, got 7"},
    {"\"p2p\": [", "\"p2p\": {}, \"q\": [", "f: p2p: must be a list, got {}"},
    {"\"software\":{", "\"software\":{\"a\":1,", "f: header.software.a: must be a text, got 1"},
    // A long value is truncated between two characters.
    {"\"software\":{",
     "\"software\":{\"a\":[\"xéééééééééééééééééééé\"],",
     "software.a: must be a text, got [\"xéééééééééééééééééé..."},
};

TEST(ProfileIo, NamesTheBadFieldAndRow) {
  for (const auto& one : kBadFields) {
    const Result<Profile> profile = ParseProfile(Broken(one.from, one.to), "f");
    ASSERT_FALSE(profile.ok()) << one.message;
    EXPECT_EQ(profile.error().code, ErrorCode::kBadInput);
    EXPECT_NE(profile.error().text().find(one.message), std::string::npos)
        << one.message << "\ngot " << profile.error().text();
  }
}

TEST(ProfileIo, ReportsAllProblemsAtOnce) {
  std::string text = Broken("\"cores\":2", "\"cores\":-1");
  text.replace(text.find("\"samples\":12"), 12, "\"samples\":\"\"");
  const Result<Profile> profile = ParseProfile(text, "f");
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().also.size(), 1u) << profile.error().text();
  // The list of errors of a file full of wrong rows is truncated.
  std::string rows;
  for (int i = 0; i < 500; ++i) rows += R"({"bytes":-1,"time_us":1,"origin":"here"},)";
  const Result<Profile> many = ParseProfile(Broken("\"stream\": [", "\"stream\": [" + rows), "f");
  ASSERT_FALSE(many.ok());
  EXPECT_EQ(many.error().also.size(), 20u);
  EXPECT_EQ(many.error().also.back().message, "480 more problems");
}

TEST(ProfileIo, RefusesBrokenText) {
  const std::string text = FormatProfile(EveryTable());
  for (size_t length = 0; length + 2 < text.size(); length += 7) {
    EXPECT_FALSE(ParseProfile(text.substr(0, length), "f").ok()) << length;
  }
  for (const char* bad : {"NaN", "Infinity", "1e999", "-", "01", "\"\xff\""}) {
    const Result<Profile> profile =
        ParseProfile(Broken("\"time_us\":0.1", std::string("\"time_us\":") + bad), "f");
    ASSERT_FALSE(profile.ok()) << bad;
    EXPECT_EQ(profile.error().code, ErrorCode::kBadInput);
  }
  for (const char* bad : {"", "[]", "7", "null", "{}", "\"metadist.profile\""}) {
    EXPECT_FALSE(ParseProfile(bad, "f").ok()) << bad;
  }
  EXPECT_FALSE(ParseProfile(std::string(100000, '['), "f").ok());
}

// A value that cannot be a time is refused when it is read back.
TEST(ProfileIo, DoesNotReadBackWhatIsNoNumber) {
  Profile profile = EveryTable();
  profile.stream[1024].time_us = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(ParseProfile(FormatProfile(profile), "f").ok());
}

}  // namespace
}  // namespace metadist
