#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <png.h>
#include <CLI/CLI.hpp>

#include "command.hpp"
#include "numbers.hpp"

namespace tessera::cli {

namespace {

struct PictureOptions {
  std::string input;
  std::string output;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t scale = 12;
};

/// A grey picture: light grey where nothing is drawn.
struct Canvas {
  Canvas(std::int64_t height_, std::int64_t width_)
      : height(height_), width(width_), pixels(static_cast<std::size_t>(height_ * width_), 208) {}
  std::int64_t height;
  std::int64_t width;
  std::vector<std::uint8_t> pixels;
};

void write_png(const std::string& path, const Canvas& canvas) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(canvas.width);
  image.height = static_cast<png_uint_32>(canvas.height);
  image.format = PNG_FORMAT_GRAY;
  // Into memory: the library removes a file that it cannot write, whatever lies there.
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string encoded(bytes, '\0');
  if (png_image_write_to_memory(&image, encoded.data(), &bytes, 0, canvas.pixels.data(), 0, nullptr) == 0) {
    throw CommandError(ExitCode::unexpected, fmt::format("cannot encode {}: {}", path, image.message),
                       "choose a smaller --scale");
  }
  encoded.resize(bytes);
  write_text(path, encoded);
}

/// One row of the array, as rows x columns squares of `scale` pixels, at a place of the canvas.
void draw(const PictureOptions& options, const double* values, double low, double high, std::int64_t top,
          std::int64_t left, Canvas& canvas) {
  // In halves, so that the range of the largest numbers is finite.
  const double range = high > low ? high / 2 - low / 2 : 1;
  for (std::int64_t y = 0; y < options.rows * options.scale; ++y) {
    for (std::int64_t x = 0; x < options.columns * options.scale; ++x) {
      const double value = values[y / options.scale * options.columns + x / options.scale];
      const auto ink = static_cast<std::uint8_t>(std::lround(255 * ((value / 2 - low / 2) / range)));
      canvas.pixels[static_cast<std::size_t>((top + y) * canvas.width + left + x)] =
          static_cast<std::uint8_t>(255 - ink);
    }
  }
}

ExitCode draw_picture(const PictureOptions& options) {
  const Array x = load_file("--input", options.input, default_device());
  if (options.rows < 1 || options.columns < 1 || options.scale < 1) {
    throw CommandError(ExitCode::input, "--rows, --columns and --scale must be at least 1",
                       "say how a row of the array is laid out");
  }
  constexpr std::int64_t most = 1 << 20;  // so that products of extents stay small
  if (options.rows > most || options.columns > most || options.scale > most) {
    throw CommandError(ExitCode::input, fmt::format("--rows, --columns and --scale must be at most {}", most),
                       "say how a row of the array is laid out");
  }
  if (x.ndim() != 2 || x.shape(1) != options.rows * options.columns || x.shape(0) < 1) {
    throw CommandError(ExitCode::input,
                       fmt::format("{} has shape {}, which is not pictures of {} x {}", options.input,
                                   to_string(x.shape()), options.rows, options.columns),
                       "--rows times --columns must be the number of columns of the array");
  }
  const std::vector<double> values = astype(x, float64).to_host<double>();
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
    throw CommandError(ExitCode::input, options.input + " has values that are not finite",
                       "only finite values can be drawn");
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());

  const std::int64_t count = x.shape(0);
  const auto across = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count) * 2)));
  const std::int64_t wide = std::min(count, across);
  const std::int64_t high_count = (count + wide - 1) / wide;
  const std::int64_t gap = options.scale;
  const std::int64_t cell_height = options.rows * options.scale + gap;
  const std::int64_t cell_width = options.columns * options.scale + gap;
  constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;
  const std::int64_t most_side = kMostPixels / 16;
  if (high_count * cell_height > most_side || wide * cell_width > most_side ||
      (high_count * cell_height + gap) * (wide * cell_width + gap) > kMostPixels) {
    throw CommandError(ExitCode::input, fmt::format("the picture of {} rows would be too large", count),
                       "choose a smaller --scale, or fewer rows");
  }
  Canvas canvas(high_count * cell_height + gap, wide * cell_width + gap);
  for (std::int64_t i = 0; i < count; ++i) {
    draw(options, values.data() + i * x.shape(1), *low, *high, gap + i / wide * cell_height,
         gap + i % wide * cell_width, canvas);
  }
  write_png(options.output, canvas);
  fmt::print("{}: {} pictures of {} x {}\n", options.output, count, options.rows, options.columns);
  return ExitCode::success;
}

}  // namespace

void add_picture_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<PictureOptions>();
  CLI::App* command =
      app.add_subcommand("picture", "Draw each row of a .npy array as a small grey picture, in one PNG");
  command->add_option("--input,-i", options->input, "The .npy file, 2-d")->required();
  command->add_option("--rows", options->rows, "Height of one picture")
      ->required()
      ->transform(whole_number());
  command->add_option("--columns", options->columns, "Width of one picture")
      ->required()
      ->transform(whole_number());
  command->add_option("--scale", options->scale, "Pixels a side for each value")
      ->transform(whole_number(1, 256))
      ->capture_default_str();
  command->add_option("--output,-o", options->output, "The .png file to write")->required();
  command->footer(
      "The lowest value is white, the highest black.\n\n"
      "Example:\n"
      "  tessera picture --input centers.npy --rows 8 --columns 8 --output centers.png");
  command->callback([options, &action] { action = [options] { return draw_picture(*options); }; });
}

}  // namespace tessera::cli
