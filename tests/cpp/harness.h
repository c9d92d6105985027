// The whole C++ test harness: cases register themselves, expectations print what failed and go on.
//
//   SUSURRUS_TEST(crc32_of_nothing_is_zero) {
//     EXPECT_EQ(crc32({}), 0u);
//   }
//
// EXPECT_* records a failure and continues; ASSERT_* records it and returns from the case (so it
// only works in a function that returns void). No exceptions, no RTTI; runs natively and in
// WebAssembly.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace susurrus::testing {

/// One case, linked into the list of all cases by its constructor, which runs before main().
struct Case {
  using Body = void (*)();
  Case(const char* case_name, const char* case_file, Body case_body);

  const char* name;
  const char* file;
  Body body;
  Case* next = nullptr;
};

/// Long cases do one in so many of their rounds: where sanitizers watch the plain kernels, a third; in WebAssembly all of them.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr int kOneIn = 3;
#elif defined(__has_feature)
inline constexpr int kOneIn = __has_feature(address_sanitizer) ? 3 : 1;
#else
inline constexpr int kOneIn = 1;
#endif

/// A lambda that changes a T, for as long as it is called with. As std::function, each of hundreds would take a tenth of a
/// second to compile in WebAssembly.
template <typename T>
class Edit {
 public:
  template <typename Lambda>
  Edit(const Lambda& lambda)
      : lambda_(&lambda),
        call_([](const void* lambda, T& value) { (*static_cast<const Lambda*>(lambda))(value); }) {}

  void operator()(T& value) const { call_(lambda_, value); }

 private:
  const void* lambda_;
  void (*call_)(const void* lambda, T& value);
};

/// Records a failure of the running case and prints it with its place.
void report_failure(const char* file, int line, const std::string& message);

/// Whether the running case has failed so far; useful to stop a loop at the first failure.
bool current_case_failed();

/// Text for a failure message: numbers, text, enums, pointers; anything else shows its size only.
template <typename T>
std::string describe(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
    return text;
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_null_pointer_v<T>) {
    return "nullptr";
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    return "\"" + std::string(std::string_view(value)) + "\"";
  } else if constexpr (std::is_pointer_v<T>) {
    return value == nullptr ? "nullptr" : "a pointer";
  } else {
    return "a value of " + std::to_string(sizeof(T)) + " bytes";
  }
}

template <typename A, typename B>
bool equal(const A& a, const B& b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B> && !std::is_same_v<A, bool> &&
                !std::is_same_v<B, bool>) {
    // 1 == 1u without a warning, and -1 != 0xffffffffu.
    return (a < 0) == (b < 0) && static_cast<uint64_t>(a) == static_cast<uint64_t>(b);
  } else {
    return a == b;
  }
}

/// Not part of expect_equal, which is compiled once for each two types in each file.
void report_unequal(const char* file, int line, const char* a_text, const char* b_text,
                    const std::string& a, const std::string& b);

template <typename A, typename B>
bool expect_equal(const char* file, int line, const char* a_text, const char* b_text, const A& a,
                  const B& b) {
  if (equal(a, b)) return true;
  report_unequal(file, line, a_text, b_text, describe(a), describe(b));
  return false;
}

bool expect_near(const char* file, int line, const char* a_text, const char* b_text, double a,
                 double b, double tolerance);

bool expect_true(const char* file, int line, const char* text, bool value, bool expected);

}  // namespace susurrus::testing

#define SUSURRUS_TEST(name)                                                                      \
  static void susurrus_test_##name();                                                            \
  static ::susurrus::testing::Case susurrus_case_##name(#name, __FILE__, &susurrus_test_##name); \
  static void susurrus_test_##name()

#define EXPECT_TRUE(value) \
  ::susurrus::testing::expect_true(__FILE__, __LINE__, #value, static_cast<bool>(value), true)
#define EXPECT_FALSE(value) \
  ::susurrus::testing::expect_true(__FILE__, __LINE__, #value, static_cast<bool>(value), false)
#define EXPECT_EQ(a, b) ::susurrus::testing::expect_equal(__FILE__, __LINE__, #a, #b, (a), (b))
#define EXPECT_NEAR(a, b, tolerance)                                                   \
  ::susurrus::testing::expect_near(__FILE__, __LINE__, #a, #b, static_cast<double>(a), \
                                   static_cast<double>(b), static_cast<double>(tolerance))
#define EXPECT_NE(a, b) EXPECT_FALSE(::susurrus::testing::equal((a), (b)))
#define EXPECT_LT(a, b) EXPECT_TRUE((a) < (b))
#define EXPECT_LE(a, b) EXPECT_TRUE((a) <= (b))
#define EXPECT_GT(a, b) EXPECT_TRUE((a) > (b))
#define EXPECT_GE(a, b) EXPECT_TRUE((a) >= (b))

#define ASSERT_TRUE(value)           \
  do {                               \
    if (!EXPECT_TRUE(value)) return; \
  } while (false)
#define ASSERT_FALSE(value)           \
  do {                                \
    if (!EXPECT_FALSE(value)) return; \
  } while (false)
#define ASSERT_EQ(a, b)           \
  do {                            \
    if (!EXPECT_EQ(a, b)) return; \
  } while (false)
#define ASSERT_NEAR(a, b, tolerance)           \
  do {                                         \
    if (!EXPECT_NEAR(a, b, tolerance)) return; \
  } while (false)
