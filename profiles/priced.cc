// SPDX-License-Identifier: Apache-2.0
#include "profiles/priced.h"

#include <algorithm>

namespace metadist {

Priced& Priced::operator+=(const Priced& other) {
  const double sum = seconds + other.seconds;
  if (other.seconds > 0) {
    provenance = std::max(provenance, other.provenance);
    reach = std::max(reach, other.reach);
    band = (band * seconds + other.band * other.seconds) / sum;
  }
  seconds = sum;
  for (size_t i = 0; i < seconds_by_class.size(); ++i) {
    seconds_by_class[i] += other.seconds_by_class[i];
  }
  return *this;
}

Priced Priced::operator*(double factor) const {
  Priced result = *this;
  result.seconds *= factor;
  for (double& part : result.seconds_by_class) part *= factor;
  return result;
}

double Priced::share(Provenance of) const {
  return seconds > 0 ? seconds_by_class[static_cast<size_t>(of)] / seconds : 0;
}

Priced MakePriced(double seconds, Provenance provenance, Reach reach, double band) {
  if (seconds <= 0) return Priced{};
  Priced priced{seconds, provenance, reach, band, {}};
  priced.seconds_by_class[static_cast<size_t>(provenance)] = seconds;
  return priced;
}

Priced Slower(const Priced& a, const Priced& b) { return b.seconds > a.seconds ? b : a; }

}  // namespace metadist
