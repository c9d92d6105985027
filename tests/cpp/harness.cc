#include "harness.h"

#include <chrono>
#include <cstring>

namespace susurrus::testing {
namespace {

// Plain statics: constant-initialised, so they are ready before any case's constructor runs.
Case* first_case = nullptr;
Case** next_slot = &first_case;
bool case_failed = false;

}  // namespace

Case::Case(const char* case_name, const char* case_file, Body case_body)
    : name(case_name), file(case_file), body(case_body) {
  *next_slot = this;
  next_slot = &next;
}

void report_failure(const char* file, int line, const std::string& message) {
  case_failed = true;
  std::printf("  %s:%d: %s\n", file, line, message.c_str());
}

bool current_case_failed() { return case_failed; }

void report_unequal(const char* file, int line, const char* a_text, const char* b_text,
                    const std::string& a, const std::string& b) {
  report_failure(file, line, std::string(a_text) + " == " + b_text + "\n    " + a + "\n    " + b);
}

bool expect_near(const char* file, int line, const char* a_text, const char* b_text, double a,
                 double b, double tolerance) {
  // Written so that a NaN on either side fails; equal infinities pass.
  if (a == b || std::fabs(a - b) <= tolerance) return true;
  report_failure(file, line,
                 std::string(a_text) + " is near " + b_text + "\n    " + describe(a) + "\n    " +
                     describe(b) + "\n    tolerance " + describe(tolerance));
  return false;
}

bool expect_true(const char* file, int line, const char* text, bool value, bool expected) {
  if (value == expected) return true;
  report_failure(file, line, std::string(text) + (expected ? " is false" : " is true"));
  return false;
}

}  // namespace susurrus::testing

namespace {

bool is_named(const susurrus::testing::Case& one, const char* part) {
  return std::strstr(one.name, part) != nullptr || std::strstr(one.file, part) != nullptr;
}

/// Whether some case has each of these parts of names. A folder that was renamed must not pass for one that was tested.
bool have_cases(int count, char** parts) {
  for (int i = 0; i < count; ++i) {
    const susurrus::testing::Case* one = susurrus::testing::first_case;
    while (one != nullptr && !is_named(*one, parts[i])) one = one->next;
    if (one != nullptr) continue;
    std::printf("No case or file is named like this: %s\n", parts[i]);
    return false;
  }
  return true;
}

bool is_wanted(const susurrus::testing::Case& one, int count, char** parts) {
  for (int i = 0; i < count; ++i) {
    if (is_named(one, parts[i])) return true;
  }
  return count == 0;
}

}  // namespace

/// core_tests [parts of cases' or files' names...]: without any, all cases
int main(int argc, char** argv) {
  using namespace susurrus::testing;
  char** parts = argv + 1;
  const int part_count = argc > 1 ? argc - 1 : 0;
  if (!have_cases(part_count, parts)) return 1;
  int passed = 0;
  int failed = 0;
  for (Case* one = first_case; one != nullptr; one = one->next) {
    if (!is_wanted(*one, part_count, parts)) continue;
    case_failed = false;
    const auto start = std::chrono::steady_clock::now();
    one->body();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (seconds.count() > 2) std::printf("slow    %s (%.1f s)\n", one->name, seconds.count());
    if (case_failed) std::printf("FAILED  %s (%s)\n", one->name, one->file);
    ++(case_failed ? failed : passed);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
