// SPDX-FileCopyrightText: 2026 osi-lidar contributors
// SPDX-License-Identifier: Apache-2.0

// Listens to topics of ROS 2 with eProsima Fast DDS 2, set up as rmw_fastrtps does it, and keeps
// the bytes that come, undecoded.
//
//     fast_dds_listener DOMAIN FOLDER TOPIC=TYPE .. [--best-effort] [--depth N] [--slow-ms N]
//
// As with cyclone_dds_listener.py, each message becomes a file of the folder, named by its topic
// and number, and the program ends when those who published have gone. A FOLDER of - keeps none. A
// depth of 0 keeps all messages until they are taken. --slow-ms waits after each message. The first
// line on standard output is "ready"; events are lines on standard error:
//
//     writer TOPIC TYPE RELIABLE LATCHED USER_DATA
//     matched TOPIC COUNT, refused TOPIC COUNT, lost TOPIC COUNT
//     sample TOPIC RECEIVED_NS SIZE CRC32 FIRST_48_BYTES

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <fastdds/rtps/writer/WriterDiscoveryInfo.h>
#include <fastrtps/utils/IPLocator.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace fast = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;
using Bytes = std::vector<char>;

// A type whose messages are the bytes of their CDR.
class RawType : public fast::TopicDataType {
 public:
  explicit RawType(const std::string& name) {
    setName(name.c_str());
    m_typeSize = 1024;  // grows as needed
    m_isGetKeyDefined = false;
    auto_fill_type_object(false);
    auto_fill_type_information(false);
  }
  bool serialize(void*, rtps::SerializedPayload_t*) override { return false; }
  bool deserialize(rtps::SerializedPayload_t* payload, void* data) override {
    const auto* begin = reinterpret_cast<const char*>(payload->data);
    static_cast<Bytes*>(data)->assign(begin, begin + payload->length);
    return true;
  }
  std::function<uint32_t()> getSerializedSizeProvider(void*) override {
    return [] { return 0U; };
  }
  void* createData() override { return new Bytes; }
  void deleteData(void* data) override { delete static_cast<Bytes*>(data); }
  bool getKey(void*, rtps::InstanceHandle_t*, bool) override { return false; }
};

// Tells of writers, of all topics.
class Discovery : public fast::DomainParticipantListener {
  void on_publisher_discovery(fast::DomainParticipant*,
                              rtps::WriterDiscoveryInfo&& found) override {
    if (found.status != rtps::WriterDiscoveryInfo::DISCOVERED_WRITER) {
      return;
    }
    const auto& qos = found.info.m_qos;
    const auto user_data = qos.m_userData.getValue();
    std::fprintf(stderr, "writer %s %s %d %d %s\n", found.info.topicName().c_str(),
                 found.info.typeName().c_str(),
                 qos.m_reliability.kind == fast::RELIABLE_RELIABILITY_QOS,
                 qos.m_durability.kind == fast::TRANSIENT_LOCAL_DURABILITY_QOS,
                 std::string(user_data.begin(), user_data.end()).c_str());
  }
};

struct Options {
  bool is_reliable = true;
  int depth = 1000;
  int slow_ms = 0;
  std::filesystem::path folder;
};

// A reader of one topic, and what it has told.
struct Listener {
  std::string topic;
  fast::DataReader* reader;
  int n_taken = 0;
  int n_matched = 0;
  int n_refused = 0;
  int n_lost = 0;
};

// Reads the environment, and finds others on this machine only, as rmw_fastrtps does it for
// ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST.
fast::DomainParticipantQos participant_qos() {
  auto* factory = fast::DomainParticipantFactory::get_instance();
  factory->load_profiles();
  auto qos = factory->get_default_participant_qos();
  const char* range = std::getenv("ROS_AUTOMATIC_DISCOVERY_RANGE");
  if (range != nullptr && std::strcmp(range, "LOCALHOST") == 0) {
    auto& builtin = qos.wire_protocol().builtin;
    builtin.metatrafficMulticastLocatorList.clear();
    builtin.metatrafficUnicastLocatorList.push_back(rtps::Locator_t());
    rtps::Locator_t peer;
    rtps::IPLocator::setIPv4(peer, "127.0.0.1");
    builtin.initialPeersList.push_back(peer);
  }
  return qos;
}

// Returns p::msg::dds_::T_ for p/msg/T.
std::string dds_name(const std::string& type) {
  const auto first = type.find('/');
  const auto last = type.rfind('/');
  return type.substr(0, first) + "::msg::dds_::" + type.substr(last + 1) + "_";
}

Listener listener(fast::DomainParticipant* participant, fast::Subscriber* subscriber,
                  const std::string& topic, const std::string& type, const Options& options) {
  if (participant->find_type(dds_name(type)).empty()) {
    fast::TypeSupport(new RawType(dds_name(type))).register_type(participant);
  }
  auto* told = participant->create_topic("rt" + topic, dds_name(type), fast::TOPIC_QOS_DEFAULT);
  auto qos = fast::DATAREADER_QOS_DEFAULT;
  const std::string latched = "tf_static";
  const auto at = topic.rfind(latched);
  const bool is_latched = at != std::string::npos && at + latched.size() == topic.size();
  qos.reliability().kind =
      options.is_reliable ? fast::RELIABLE_RELIABILITY_QOS : fast::BEST_EFFORT_RELIABILITY_QOS;
  qos.durability().kind =
      is_latched ? fast::TRANSIENT_LOCAL_DURABILITY_QOS : fast::VOLATILE_DURABILITY_QOS;
  qos.history().kind = options.depth ? fast::KEEP_LAST_HISTORY_QOS : fast::KEEP_ALL_HISTORY_QOS;
  qos.history().depth = options.depth ? options.depth : 1;
  qos.endpoint().history_memory_policy = rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  qos.data_sharing().off();
  return {topic, subscriber->create_datareader(told, qos)};
}

// Writes a message to a temporary name first: who looks at the folder sees whole files only.
void keep(const Options& options, const Listener& from, const Bytes& bytes) {
  std::string name = from.topic;
  for (auto& letter : name) {
    letter = letter == '/' ? '_' : letter;
  }
  char number[16];
  std::snprintf(number, sizeof number, ".%03d", from.n_taken);
  std::ofstream(options.folder / "part", std::ios::binary).write(bytes.data(), bytes.size());
  std::filesystem::rename(options.folder / "part", options.folder / (name + number));
}

void take(Listener& from, const Options& options) {
  Bytes bytes;
  fast::SampleInfo info;
  // Counts first: Fast DDS 2.9 aborts if a message is taken whose parts still come.
  while (from.reader->get_unread_count() > 0 &&
         from.reader->take_next_sample(&bytes, &info) ==
             eprosima::fastrtps::types::ReturnCode_t::RETCODE_OK) {
    if (!info.valid_data) {
      continue;  // the end of a writer
    }
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    const auto crc = crc32(0, data, static_cast<unsigned>(bytes.size()));
    std::string line;
    for (size_t at = 0; at < std::min<size_t>(bytes.size(), 48); ++at) {
      char two[3];
      std::snprintf(two, sizeof two, "%02x", data[at]);
      line += two;
    }
    std::fprintf(stderr, "sample %s %lld %zu %08lx %s\n", from.topic.c_str(),
                 static_cast<long long>(now_ns), bytes.size(), crc, line.c_str());
    if (options.folder != "-") {
      keep(options, from, bytes);
    }
    ++from.n_taken;
    std::this_thread::sleep_for(std::chrono::milliseconds(options.slow_ms));
  }
}

void tell(const Listener& from, const char* what, int& told, int count) {
  if (count != told) {
    std::fprintf(stderr, "%s %s %d\n", what, from.topic.c_str(), count);
    told = count;
  }
}

// Tells what has changed; returns how many writers there are.
int look(Listener& from) {
  fast::SubscriptionMatchedStatus matched;
  fast::RequestedIncompatibleQosStatus refused;
  fast::SampleLostStatus lost;
  from.reader->get_subscription_matched_status(matched);
  from.reader->get_requested_incompatible_qos_status(refused);
  from.reader->get_sample_lost_status(lost);
  tell(from, "matched", from.n_matched, matched.current_count);
  tell(from, "refused", from.n_refused, static_cast<int>(refused.total_count));
  tell(from, "lost", from.n_lost, lost.total_count);
  return matched.current_count;
}

int main(int n_arguments, char** arguments) {
  if (n_arguments < 4) {
    std::fputs("expected the arguments at the top of this file\n", stderr);
    return 2;
  }
  Options options;
  options.folder = arguments[2];
  std::map<std::string, std::string> topics;
  for (int at = 3; at < n_arguments; ++at) {
    const std::string word = arguments[at];
    if (word == "--best-effort") {
      options.is_reliable = false;
    } else if (word == "--depth" && at + 1 < n_arguments) {
      options.depth = std::atoi(arguments[++at]);
    } else if (word == "--slow-ms" && at + 1 < n_arguments) {
      options.slow_ms = std::atoi(arguments[++at]);
    } else {
      topics[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    }
  }
  auto* factory = fast::DomainParticipantFactory::get_instance();
  Discovery discovery;
  auto* participant = factory->create_participant(
      std::atoi(arguments[1]), participant_qos(), &discovery, fast::StatusMask::none());
  if (participant == nullptr) {
    return 1;
  }
  auto* subscriber = participant->create_subscriber(fast::SUBSCRIBER_QOS_DEFAULT);
  std::vector<Listener> listeners;
  for (const auto& [topic, type] : topics) {
    listeners.push_back(listener(participant, subscriber, topic, type, options));
  }
  std::puts("ready");
  std::fflush(stdout);
  bool has_begun = false;
  int n_writers = 0;
  while (n_writers || !has_begun) {
    n_writers = 0;
    for (auto& each : listeners) {
      n_writers += look(each);
      take(each, options);
    }
    has_begun = has_begun || n_writers;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  participant->set_listener(nullptr);
  participant->delete_contained_entities();
  factory->delete_participant(participant);
}
